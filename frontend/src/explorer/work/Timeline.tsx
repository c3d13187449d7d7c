/** The timeline as a canvas: wheel zooms at the pointer, drag pans, Shift-drag marks, double click fits, arrows walk the lanes. */
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'

import { announce } from '../../components/announce'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { useTokens } from '../../theme/tokens'
import { timeText } from '../logic/reason'
import { withUnit } from '../logic/scales'
import { keepVector } from '../../drawing/vector'
import { isClick } from '../../drawing/click'
import { useExplorer } from '../state/context'
import { useSize } from '../../drawing/use-size'
import type { PlanDetail, PlanOperator } from '../types'
import { type Flight, flightIndex, fromFlight, type ItemOperator } from './in-flight'
import { operatorScales } from './scales'
import { drawTimeline, type TimelineInput } from './timeline-draw'
import { shownOperator } from './shown'
import { neighbour, operatorAt, shifted, timelineLayout, timeX, type Window, xTime, zoomed } from './timeline-layout'

const NONE: readonly number[] = []

interface Props {
  readonly detail: PlanDetail
  /** Where `detail` holds several items. */
  readonly flight: Flight | null
  readonly window: Window
  readonly onWindow: (window: Window) => void
  readonly onFit: () => void
}

export function Timeline({ detail, flight, window, onWindow, onFit }: Props) {
  const t = useT()
  const f = useFormats()
  const tokens = useTokens()
  const { model, state, lang, update } = useExplorer()
  const [setBox, size] = useSize()
  const canvas = useRef<HTMLCanvasElement>(null)
  const grip = useRef<{ x: number; y: number; window: Window; marks: boolean } | null>(null)
  /** The mark while it is being dragged. */
  const [drawn, setDrawn] = useState<Window | null>(null)
  /** Which item of the selected operator the keys stand on, from 0. */
  const [item, setItem] = useState(0)
  const [hovered, setHovered] = useState<{ op: ItemOperator; x: number; y: number } | null>(null)
  const { devices } = model.front
  const end = Math.max(detail.exec_time_ms, 1e-9)
  const layout = useMemo(
    () => timelineLayout(detail, devices, size.width, size.height),
    [detail, devices, size.width, size.height],
  )
  const height = Math.max(layout.height, size.height)
  const scale = model.scales.exec_time_ms
  const mark = drawn ?? state.mark
  const under = hovered?.op.index ?? null
  const chosen = flight && state.operator !== null ? flightIndex(flight, item, state.operator) : state.operator
  const lane = state.lane === null ? -1 : devices.findIndex(({ name }) => name === state.lane)

  useEffect(() => {
    const element = canvas.current
    const g = element?.getContext('2d')
    if (!element || !g || size.width < 40) return
    const [wide, high] = [Math.round(size.width * size.ratio), Math.round(height * size.ratio)]
    if (element.width !== wide || element.height !== high) {
      element.width = wide
      element.height = high
    }
    g.setTransform(size.ratio, 0, 0, size.ratio, 0, 0)
    const input: TimelineInput = {
      detail,
      devices,
      layout,
      window,
      factor: scale.factor,
      unit: scale.unit,
      locale: LOCALES[lang],
      tokens,
      selected: shownOperator(detail, chosen)?.index ?? null,
      also: flight && state.operator !== null ? Array.from({ length: flight.items }, (_, i) => flightIndex(flight, i, state.operator ?? 0)) : NONE,
      hovered: under,
      mark,
      lane: lane < 0 ? null : lane,
      height,
      texts: {
        links: t('explorer.timeline.links'),
        memory: t('explorer.timeline.memory'),
        unused: t('explorer.timeline.unused'),
        host: t('explorer.timeline.host'),
        share: (share) => f.share(share),
        idle: (ms) => t('explorer.timeline.idle_for', { time: timeText(ms, f) }),
        bytes: (value) => f.bytes(value),
        limit: (limit, far) => t(far ? 'explorer.timeline.limit_far' : 'explorer.timeline.limit', { limit }),
      },
    }
    const begin = performance.now()
    drawTimeline(g, input)
    // For the benchmark: what drawing took.
    element.dataset.drawMs = (performance.now() - begin).toFixed(2)
    keepVector(element, size.width, height, (svg) => drawTimeline(svg, input))
  }, [detail, devices, layout, window, scale, lang, tokens, state.operator, chosen, flight, under, mark, lane, height, size, t, f])

  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      const box = element.getBoundingClientRect()
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = ((event.deltaX || event.deltaY) / layout.width) * (window.to - window.from)
        onWindow(shifted(window, by, end))
        return
      }
      const at = xTime(layout, window, event.clientX - box.left)
      onWindow(zoomed(window, Math.min(end, Math.max(0, at)), Math.exp(Math.sign(event.deltaY) * 0.2), end))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [layout, window, onWindow, end])

  const place = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const select = (op: PlanOperator) => {
    const which = flight ? fromFlight(flight, op.index) : null
    setItem(which?.item ?? 0)
    update({ operator: which?.operator ?? op.index })
    announce(`${which ? `${t('explorer.timeline.item', { number: which.item + 1 })}, ` : ''}${op.name}, ${devices[op.device]?.tag ?? ''}, ${timeText(op.start_ms, f)} – ${timeText(op.end_ms, f)}`)
    const x = timeX(layout, window, op.start_ms)
    if (x < layout.left || x > layout.left + layout.width) {
      const span = window.to - window.from
      onWindow(shifted({ from: op.start_ms - span / 2, to: op.start_ms + span / 2 }, 0, end))
    }
  }
  const key = (event: KeyboardEvent) => {
    const now = shownOperator(detail, chosen)
    const moves = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' } as const
    const move = Object.hasOwn(moves, event.key) ? moves[event.key as keyof typeof moves] : null
    const middle = now ? now.start_ms : (window.from + window.to) / 2
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (move) {
      const next = neighbour(layout, now, move)
      if (next && now && !flight && event.shiftKey && (move === 'left' || move === 'right')) {
        const from = Math.min(now.start_ms, next.start_ms, state.mark?.from ?? Infinity)
        const to = Math.max(now.end_ms, next.end_ms, state.mark?.to ?? 0)
        if (to > from) update({ mark: { from, to }, lane: devices[now.device]?.name ?? null })
      }
      if (next) select(next)
    } else if (event.key === '+' || event.key === '=') onWindow(zoomed(window, middle, 0.7, end))
    else if (event.key === '-') onWindow(zoomed(window, middle, 1.4, end))
    else if (event.key === '0') onFit()
    else if (event.key === 'Enter') document.getElementById('inspector')?.focus()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const tip = hovered?.op
  const { energy } = operatorScales(detail, model.scales)
  const energyText = (op: PlanOperator) =>
    `${withUnit(op.energy_j, energy, lang)} (${translateCode('explorer.energySource', op.energy_source, {}, op.energy_source, lang)})`
  return (
    <div className="xp-timeline" ref={setBox}>
      <canvas
        ref={canvas}
        style={{ width: size.width, height }}
        tabIndex={0}
        role="img"
        aria-label={
          flight
            ? t('explorer.timeline.items.label', { number: detail.number, items: flight.items })
            : t('explorer.timeline.label', { number: model.plans[model.a]?.number ?? detail.number })
        }
        data-testid="timeline"
        onKeyDown={key}
        onDoubleClick={onFit}
        onPointerDown={(event) => {
          grip.current = { x: event.clientX, y: event.clientY, window, marks: event.shiftKey && !flight }
          event.currentTarget.setPointerCapture(event.pointerId)
        }}
        onPointerMove={(event) => {
          const held = grip.current
          if (held) {
            if (isClick(held, { x: event.clientX, y: event.clientY })) return
            setHovered(null)
            if (held.marks) {
              const left = event.currentTarget.getBoundingClientRect().left
              const times = [held.x, event.clientX].map((x) => xTime(layout, window, x - left))
              const inside = times.map((ms) => Math.min(window.to, Math.max(window.from, ms))).sort((a, b) => a - b)
              setDrawn({ from: inside[0] ?? 0, to: inside[1] ?? 0 })
              return
            }
            const span = held.window.to - held.window.from
            onWindow(shifted(held.window, ((held.x - event.clientX) / layout.width) * span, end))
            return
          }
          const { x, y } = place(event)
          const op = operatorAt(layout, window, x, y)
          setHovered(op && { op, x, y })
        }}
        onPointerUp={(event) => {
          const held = grip.current
          grip.current = null
          if (held?.marks && drawn) {
            const top = event.currentTarget.getBoundingClientRect().top
            const from = layout.devices.find((one) => held.y - top >= one.top && held.y - top < one.top + one.height)
            if (drawn.to > drawn.from) update({ mark: drawn, lane: (from && devices[from.device]?.name) ?? null })
            setDrawn(null)
            return
          }
          if (!isClick(held, { x: event.clientX, y: event.clientY })) return
          const { x, y } = place(event)
          const op = operatorAt(layout, window, x, y)
          if (op) select(op)
        }}
        onPointerLeave={() => {
          if (!grip.current) setHovered(null)
        }}
      />
      {tip && (
        <div
          className="xp-tip"
          style={{ left: hovered.x, top: hovered.y, translate: hovered.x > size.width - 240 ? 'calc(-100% - 12px) 12px' : '12px 12px' }}
        >
          <b>{tip.name}</b> <span className="s3">{tip.op_type}</span>
          {tip.item !== undefined && <div>{t('explorer.timeline.item', { number: tip.item })}</div>}
          <div className="s2">
            {devices[tip.device]?.tag} · {timeText(tip.start_ms, f)} – {timeText(tip.end_ms, f)} · {timeText(tip.time_ms, f)}
          </div>
          {!tip.is_view && <div className="s2">{energyText(tip)}</div>}
        </div>
      )}
    </div>
  )
}
