/** The 3-D front: plotly draws, this layer picks; arrow keys walk through the plans by score. */
import { type KeyboardEvent, type PointerEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'

import { loadPlotly } from '../../charts/plotly'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { stepPlan } from '../state/step'
import { useSize } from '../../drawing/use-size'
import { Press } from '../../drawing/click'
import { type Stand, turned, zoomed } from './camera'
import { HOVER_REACH } from './project'
import { ScenePlot } from './scene-plot'
import { SceneHover } from './SceneHover'
import { useSceneView } from './scene-view'

export type SceneState = 'loading' | 'drawn' | 'failed'

/** The test hook on the scene's element: pixel of a plan by its number, in the viewport. */
export interface SceneElement extends HTMLDivElement {
  /** The axes as a data URL. */
  picture?: () => Promise<string>
  planPixel?: (number: number) => { x: number; y: number } | null
}

function hasWebGl(): boolean {
  return document.createElement('canvas').getContext('webgl') !== null
}

/** A press of an arrow key turns so far, in radians. */
const KEY_TURN = Math.PI / 24
const KEY_ZOOM = 1.2
const TOUCH_REACH = 22

interface Props {
  readonly onReset: (reset: () => void) => void
  /** Where the reader stands, kept while other views are shown. */
  readonly stand: RefObject<Stand>
}

export function Scene({ onReset, stand }: Props) {
  const t = useT()
  const explorer = useExplorer()
  const { model, hover, setA, setB } = explorer
  const [setBox, { width, height }] = useSize()
  const axes = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const plot = useRef<ScenePlot | null>(null)
  const [press] = useState(() => new Press())
  const [status, setStatus] = useState<SceneState>('loading')
  const [ready, setReady] = useState(false)
  const [pointed, setPointed] = useState(false)
  const pixelOf = useCallback((index: number) => plot.current?.pixels()[index] ?? null, [])

  useEffect(() => {
    let gone = false
    const element = axes.current
    const over = canvas.current
    if (!element || !over) return
    loadPlotly()
      .then((plotly) => {
        if (gone) return
        const made = new ScenePlot(plotly, element, over, () => setStatus('drawn'), () => setStatus('failed'), stand)
        plot.current = made
        onReset(() => made.resetCamera())
        setReady(true)
      })
      .catch(() => {
        if (!gone) setStatus('failed')
      })
    return () => {
      gone = true
      plot.current?.dispose()
      plot.current = null
    }
  }, [onReset, stand])

  const view = useSceneView(width, height)
  useEffect(() => {
    if (ready && view) plot.current?.show(view)
  }, [ready, view])

  useEffect(() => {
    const element: SceneElement | null = axes.current
    if (!element) return
    element.picture = () => plot.current?.picture() ?? Promise.resolve('')
    element.planPixel = (number) => {
      const index = model.plans.findIndex((p) => p.number === number)
      const pixel = plot.current?.pixels()[index]
      const box = element.getBoundingClientRect()
      return pixel ? { x: box.left + pixel.x, y: box.top + pixel.y } : null
    }
  }, [model])

  const place = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const move = (event: PointerEvent) => {
    press.move({ x: event.clientX, y: event.clientY })
    if (event.buttons || event.pointerType === 'touch') {
      hover.set(-1)
      return
    }
    const { x, y } = place(event)
    hover.set(plot.current?.planAt(x, y, HOVER_REACH) ?? -1)
  }
  const up = (event: PointerEvent) => {
    if (!press.up({ x: event.clientX, y: event.clientY })) return
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
    if (zoom !== undefined) plot.current?.move((now) => zoomed(now, zoom))
    else if (dx === 0 && dy === 0) return
    else if (event.shiftKey) plot.current?.move((now) => turned(now, -dx * KEY_TURN, dy * KEY_TURN))
    else stepPlan(explorer, dx + dy)
    event.preventDefault()
  }

  return (
    <div className="xp-scene" ref={setBox}>
      <div
        className="xp-scene-pick"
        role="group"
        tabIndex={0}
        aria-label={t('explorer.scene.label', { count: model.plans.length })}
        data-state={status}
        data-axes={view?.figure.captions}
        data-testid="front-scene"
        onPointerEnter={() => setPointed(true)}
        onPointerMove={move}
        onPointerLeave={() => {
          setPointed(false)
          hover.set(-1)
        }}
        onPointerDown={(event) => {
          press.down({ x: event.clientX, y: event.clientY })
        }}
        onPointerUp={up}
        onKeyDown={key}
      >
        <div ref={axes} className="xp-scene-canvas" />
        <canvas ref={canvas} className="xp-scene-plans" aria-hidden="true" />
        <SceneHover pixelOf={pixelOf} tipped={pointed} width={width} />
      </div>
      {status === 'loading' && <p className="xp-scene-note s3">{t('explorer.scene.loading')}</p>}
      {status === 'failed' && (
        <p className="xp-scene-note" role="status">
          {t(hasWebGl() ? 'explorer.scene.failed' : 'explorer.scene.no_webgl')} <span className="s3">{t('explorer.scene.no_webgl.next')}</span>
        </p>
      )}
    </div>
  )
}
