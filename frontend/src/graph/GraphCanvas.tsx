// The drawing of a graph: what is in view, what is picked, and the keys that walk along its edges.
import { type CSSProperties, type KeyboardEvent, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState, type ReactNode, type Ref } from 'react'

import { useSize } from '../drawing/use-size'
import { keepVector } from '../drawing/vector'
import { useFormats } from '../format/numbers'
import { useLang, useT } from '../i18n'
import { useTokens } from '../theme/tokens'
import { atFirst, type Camera, centred, fitted, zoomedAt } from './camera'
import { type BandLabel, drawGraph, type GraphScene } from './draw'
import { type Move, nodeAt, nodeBeside } from './hit'
import { useCamera } from './use-camera'
import { usePointer } from './use-pointer'

export interface GraphCanvasHandle {
  readonly fit: () => void
  readonly zoom: (factor: number) => void
  /** Brings a node into the middle. */
  readonly show: (node: number) => void
}

export interface GraphCanvasProps {
  scene: GraphScene
  label: string
  /** The selected node, or -1. */
  selected: number
  /** The node to show at first where none is selected, or -1. */
  looksAt: number
  onSelect: (node: number) => void
  /** Folds the scope around an operator, or opens a folded one. */
  onToggle: (node: number) => void
  onFold: (scope: number) => void
  onEnter?: (node: number) => void
  scrolls: boolean
  /** What lies over the drawing. */
  over: ReactNode
  ref?: Ref<GraphCanvasHandle>
}

const MOVES: Readonly<Record<string, Move>> = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' }
const PAN = 80
/** Above and below a drawing that the pane holds whole. */
const ROOM = 64

export function GraphCanvas({ scene, label, selected, looksAt, onSelect, onToggle, onFold, onEnter, scrolls, over, ref }: GraphCanvasProps) {
  const t = useT()
  const lang = useLang()
  const f = useFormats()
  const tokens = useTokens()
  const [setBox, size] = useSize()
  const canvas = useRef<HTMLCanvasElement>(null)
  const labels = useRef<BandLabel[]>([])
  const [hover, setHover] = useState<{ node: number; x: number; y: number } | null>(null)
  const { layout, view, graph, tree } = scene
  const hovered = hover && hover.node < view.count ? hover.node : -1

  const draw = useCallback(
    (camera: Camera) => {
      const element = canvas.current
      const g = element?.getContext('2d')
      if (!element || !g || size.width < 40) return
      g.setTransform(size.ratio, 0, 0, size.ratio, 0, 0)
      const begin = performance.now()
      const look = {
        camera,
        width: size.width,
        height: size.height,
        tokens,
        isChinese: lang === 'zh',
        selected,
        hovered,
        operators: (n: number) => t('model.nOperators', { n }),
      }
      labels.current = drawGraph(g, scene, look)
      keepVector(element, size.width, size.height, (svg) => drawGraph(svg, scene, look))
      // For the tests and the benchmark: where things are, and what drawing took.
      element.dataset.camera = JSON.stringify(camera)
      const [x, y] = [layout.x[selected], layout.y[selected]]
      element.dataset.selectedAt = x === undefined || y === undefined ? '' : `${x * camera.zoom + camera.x} ${y * camera.zoom + camera.y}`
      element.dataset.layoutMs = scene.layoutMs.toFixed(2)
      element.dataset.drawMs = (performance.now() - begin).toFixed(2)
    },
    [scene, layout, size, tokens, lang, selected, hovered, t],
  )
  const camera = useCamera(draw, layout, size)
  // A new layout: its selected node comes into the middle, else its beginning is shown.
  const seen = useRef<{ layout: typeof layout; size: typeof size } | null>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element || size.width < 40) return
    element.width = Math.round(size.width * size.ratio)
    element.height = Math.round(size.height * size.ratio)
    if (seen.current?.layout !== layout) {
      const now = camera.now()
      const middleOf = selected < 0 && !seen.current ? looksAt : selected
      if (middleOf < 0) {
        const row = layout.levels[0] ?? []
        const middle = row[Math.floor(row.length / 2)]
        camera.set(atFirst(layout, size, layout.y[middle ?? -1] ?? layout.height / 2))
      } else camera.set(centred(seen.current ? now : atFirst(layout, size, 0), layout.x[middleOf] ?? 0, layout.y[middleOf] ?? 0, layout, size))
    } else if (seen.current.size !== size) {
      // What was in the middle stays there.
      const [now, before] = [camera.now(), seen.current.size]
      camera.set({ ...now, x: now.x + (size.width - before.width) / 2, y: now.y + (size.height - before.height) / 2 })
    }
    seen.current = { layout, size }
    draw(camera.now())
  }, [draw, layout, size, camera, selected, looksAt])

  const show = useCallback(
    (node: number) => camera.fly(centred(camera.now(), layout.x[node] ?? 0, layout.y[node] ?? 0, layout, size)),
    [camera, layout, size],
  )
  const fit = useCallback(() => camera.fly(fitted(layout, size)), [camera, layout, size])
  const zoom = useCallback(
    (factor: number) => camera.fly(zoomedAt(camera.now(), size.width / 2, size.height / 2, factor, layout, size)),
    [camera, layout, size],
  )
  useImperativeHandle(ref, () => ({ fit, zoom, show }), [fit, zoom, show])

  const under = (x: number, y: number) => {
    const { zoom: by, x: left, y: top } = camera.now()
    return nodeAt(layout, (x - left) / by, (y - top) / by, 4 / by)
  }
  const bandUnder = (x: number, y: number) =>
    labels.current.find((band) => x >= band.x && x <= band.x + band.width && y >= band.y && y <= band.y + band.height)
  const pointer = usePointer(
    canvas,
    camera,
    layout,
    useMemo(() => ({ width: size.width, height: size.height }), [size.width, size.height]),
    {
      onPick: (x, y) => {
        const node = under(x, y)
        const band = node < 0 ? bandUnder(x, y) : undefined
        if (band) onFold(band.scope)
        else onSelect(node)
      },
      onOpen: (x, y) => {
        const node = under(x, y)
        if (node >= 0) onToggle(node)
      },
      onHover: (at) => {
        const node = at ? under(at.x, at.y) : -1
        if (canvas.current) canvas.current.style.cursor = node >= 0 || (at && bandUnder(at.x, at.y)) ? 'pointer' : 'grab'
        setHover((old) => (at && node >= 0 ? (old?.node === node ? old : { node, ...at }) : null))
      },
    },
    scrolls,
  )
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const move = MOVES[event.key]
    if (move && event.shiftKey) {
      const now = camera.now()
      const by = { left: [PAN, 0], right: [-PAN, 0], up: [0, PAN], down: [0, -PAN] }[move] as [number, number]
      camera.set({ ...now, x: now.x + by[0], y: now.y + by[1] })
    } else if (move) {
      const next = selected < 0 ? (layout.levels[0]?.[0] ?? -1) : nodeBeside(layout, view, selected, move)
      if (next >= 0) {
        onSelect(next)
        show(next)
      }
    } else if (event.key === '+' || event.key === '=') zoom(1.3)
    else if (event.key === '-') zoom(1 / 1.3)
    else if (event.key === '0' || event.key === 'f') fit()
    else if (event.key === 'Enter' && selected >= 0) (onEnter ?? onToggle)(selected)
    else if (event.key === 'Escape' && selected >= 0) onSelect(-1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const folded = tree.scopes[view.folded[hovered] ?? -1]
  const { style, ...handlers } = pointer
  return (
    <div className="graph-box" ref={setBox} style={{ '--graph-height': `${Math.ceil(layout.height) + 2 * ROOM}px` } as CSSProperties}>
      <canvas
        ref={canvas}
        style={{ width: size.width, height: size.height, ...style }}
        tabIndex={0}
        role="application"
        aria-label={label}
        aria-describedby="graph-keys"
        data-testid="graph"
        data-nodes={view.count}
        onKeyDown={key}
        {...handlers}
      />
      {over}
      <span id="graph-keys" className="sr">
        {t(scene.placement ? 'graph.keys.placed' : 'graph.keys')}
      </span>
      {hover && hovered >= 0 && (
        <div
          className="graph-tip"
          style={{ left: hover.x, top: hover.y, translate: `${hover.x > size.width / 2 ? 'calc(-100% - 12px)' : '12px'} ${hover.y > size.height / 2 ? 'calc(-100% - 12px)' : '12px'}` }}
        >
          <b>{folded ? folded.path : graph.types[view.first[hovered] ?? 0]}</b>
          {scene.placement && <div className="s2">{devicesOf(scene, hovered)}</div>}
          <div className="s2">{folded ? t('model.nOperators', { n: view.members[hovered] ?? 0 }) : graph.names[view.first[hovered] ?? 0]}</div>
          <div className="s3">
            {f.flops(view.flops[hovered] ?? 0)} · {f.bytes(view.bytes[hovered] ?? 0)}
          </div>
        </div>
      )}
    </div>
  )
}

/** Devices of a node's operators, by how many sit there. */
function devicesOf({ placement }: GraphScene, node: number): string {
  if (!placement) return ''
  const { nodes, of } = placement
  return [nodes.device[node], nodes.second[node]].flatMap((at) => of.devices[at ?? -1]?.tag ?? []).join(', ')
}
