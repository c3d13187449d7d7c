/** The 3-D front on a canvas: turn, zoom, hover, pick; arrow keys walk through the plans by score. */
import { type KeyboardEvent, type PointerEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { stepPlan } from '../state/step'
import { useSize } from '../../drawing/use-size'
import type { VectorCanvas } from '../../drawing/vector'
import { Gesture } from './gesture'
import { type Camera, HOVER_REACH, shifted, turned, zoomedAt } from './project'
import { ScenePlot } from './scene-plot'
import { SceneHover } from './SceneHover'
import { useSceneView } from './scene-view'

/** The test hook on the canvas: pixel of a plan by its number, in the viewport. */
export interface SceneCanvas extends VectorCanvas {
  planPixel?: (number: number) => { x: number; y: number } | null
}

/** One press of an arrow key turns as far as a drag of so many pixels. */
const KEY_TURN = 20
const KEY_ZOOM = 1.2
const TOUCH_REACH = 22
const WHEEL_ZOOM = 0.0015

interface Props {
  readonly onReset: (reset: () => void) => void
  /** The camera, kept while other views are shown. */
  readonly camera: RefObject<Camera>
}

export function Scene({ onReset, camera }: Props) {
  const t = useT()
  const explorer = useExplorer()
  const { model, hover, setA, setB } = explorer
  const [setBox, { width, height }] = useSize()
  const pane = useRef<HTMLDivElement>(null)
  const canvas = useRef<SceneCanvas>(null)
  const plot = useRef<ScenePlot | null>(null)
  const [gesture] = useState(() => new Gesture())
  const [pointed, setPointed] = useState(false)
  const pixelOf = useCallback((index: number) => plot.current?.pixels()[index] ?? null, [])

  useLayoutEffect(() => {
    if (!canvas.current) return
    const made = new ScenePlot(canvas.current, camera)
    plot.current = made
    onReset(() => made.resetCamera())
    return () => {
      made.dispose()
      plot.current = null
    }
  }, [onReset, camera])

  const view = useSceneView(width, height)
  useLayoutEffect(() => {
    if (view) plot.current?.show(view)
  }, [view])

  useEffect(() => {
    const element = canvas.current
    if (!element) return
    element.planPixel = (number) => {
      const index = model.plans.findIndex((p) => p.number === number)
      const pixel = plot.current?.pixels()[index]
      const box = element.getBoundingClientRect()
      return pixel ? { x: box.left + pixel.x, y: box.top + pixel.y } : null
    }
  }, [model])

  useEffect(() => {
    const element = pane.current
    if (!element) return
    // React's own listener could not keep the page from scrolling.
    const zoom = (event: WheelEvent) => {
      event.preventDefault()
      const box = element.getBoundingClientRect()
      const [x, y] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2]
      plot.current?.move((now) => zoomedAt(now, Math.exp(-event.deltaY * WHEEL_ZOOM), x, y))
      hover.set(-1)
    }
    element.addEventListener('wheel', zoom, { passive: false })
    return () => element.removeEventListener('wheel', zoom)
  }, [hover])

  const place = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const move = (event: PointerEvent) => {
    const at = place(event)
    const motion = gesture.move(event.pointerId, at, event.shiftKey)
    // A drag goes on outside the pane.
    if (motion && !event.currentTarget.hasPointerCapture(event.pointerId)) event.currentTarget.setPointerCapture(event.pointerId)
    if (motion?.kind === 'turn') plot.current?.move((now) => turned(now, motion.dx, motion.dy))
    else if (motion?.kind === 'shift') plot.current?.move((now) => shifted(now, motion.dx, motion.dy))
    else if (motion?.kind === 'pinch') {
      const [x, y] = [motion.at.x - width / 2, motion.at.y - height / 2]
      plot.current?.move((now) => shifted(zoomedAt(now, motion.factor, x, y), motion.dx, motion.dy))
    }
    if (event.buttons || event.pointerType === 'touch') {
      hover.set(-1)
      return
    }
    hover.set(plot.current?.planAt(at.x, at.y, HOVER_REACH) ?? -1)
  }
  const up = (event: PointerEvent) => {
    if (!gesture.up(event.pointerId)) return
    const { x, y } = place(event)
    const index = plot.current?.planAt(x, y, event.pointerType === 'touch' ? TOUCH_REACH : HOVER_REACH) ?? -1
    if (index < 0) return
    if (event.shiftKey) setB(index)
    else setA(index)
  }
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const zoom = { '+': KEY_ZOOM, '=': KEY_ZOOM, '-': 1 / KEY_ZOOM }[event.key]
    const dx = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0
    const dy = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0
    if (zoom !== undefined) plot.current?.move((now) => zoomedAt(now, zoom, 0, 0))
    else if (dx === 0 && dy === 0) return
    else if (event.shiftKey) plot.current?.move((now) => turned(now, dx * KEY_TURN, dy * KEY_TURN))
    else stepPlan(explorer, dx + dy)
    event.preventDefault()
  }

  return (
    <div className="xp-scene" ref={setBox}>
      <div
        ref={pane}
        className="xp-scene-pick"
        role="group"
        tabIndex={0}
        aria-label={t('explorer.scene.label', { count: model.plans.length })}
        data-state={view ? 'drawn' : 'loading'}
        data-axes={view?.axes.map((axis) => axis.caption).join(' | ')}
        data-testid="front-scene"
        onPointerEnter={() => setPointed(true)}
        onPointerMove={move}
        onPointerLeave={() => {
          setPointed(false)
          hover.set(-1)
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          gesture.down(event.pointerId, place(event))
        }}
        onPointerUp={up}
        onPointerCancel={(event) => gesture.cancel(event.pointerId)}
        onKeyDown={key}
      >
        <canvas ref={canvas} className="xp-scene-canvas" aria-hidden="true" />
        <SceneHover pixelOf={pixelOf} tipped={pointed} width={width} />
      </div>
    </div>
  )
}
