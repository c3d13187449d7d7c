/** Histogram of one metric, all plans grey and passing ones tinted, with a handle for each end of the bound. */
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react'

import { useT } from '../../i18n'
import { columnOf } from '../logic/measures'
import { figure, scaleOf } from '../logic/scales'
import type { Bound, Side } from '../logic/selection'
import { histogram, type Range } from '../logic/ticks'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'

const WIDTH = 240
const BINS = 40
const TOP = 1
const BASE = 19

interface Props {
  readonly metric: MetricKey
  /** In API units. */
  readonly range: Range
  readonly bound: Bound
  readonly onChange: (bound: Bound) => void
}

export function BoundHistogram({ metric, range, bound, onChange }: Props) {
  const t = useT()
  const { model, lang } = useExplorer()
  const svg = useRef<SVGSVGElement>(null)
  const names = useNames()
  const { table } = model
  const { passing } = model.selection
  const any = model.selection.nPassing > 0
  const scale = scaleOf(model.scales, metric)
  const name = names.name(metric)
  const width = range.hi - range.lo || 1
  const bars = useMemo(() => {
    const values = columnOf(table, metric)
    const all = histogram(values, range, BINS)
    const kept = histogram(values, range, BINS, (i) => any && (passing[i] ?? false))
    const most = Math.max(1, ...all)
    const step = WIDTH / BINS
    const path = (counts: readonly number[]) =>
      counts
        .map((n, i) => {
          const h = n === 0 ? 0 : Math.max(1, (n / most) * (BASE - TOP))
          return h ? `M${i * step} ${BASE}v${-h}h${step - 1}v${h}z` : ''
        })
        .join('')
    return { all: path(all), kept: path(kept) }
  }, [table, passing, any, metric, range])

  /** Display value without an exponent, as ARIA wants it. */
  const plain = (value: number) => Number((value * scale.factor).toFixed(scale.decimals + 1))
  const clampX = (x: number) => Math.min(WIDTH - 2, Math.max(2, x))
  const at = (value: number | null, otherwise: number) =>
    value === null ? otherwise : clampX(((value - range.lo) / width) * WIDTH)
  const left = at(bound.min, 2)
  const right = at(bound.max, WIDTH - 2)

  /** Moving a handle to its own end of the axis takes the bound away. */
  const move = (side: Side, value: number) => {
    const end = side === 'min' ? value <= range.lo : value >= range.hi
    const other = side === 'min' ? bound.max : bound.min
    const limited = other === null ? value : side === 'min' ? Math.min(value, other) : Math.max(value, other)
    onChange({ ...bound, [side]: end ? null : Number(limited.toPrecision(4)) })
  }
  const drag = (side: Side) => (event: PointerEvent<SVGRectElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const box = svg.current?.getBoundingClientRect()
    if (!box?.width) return
    move(side, range.lo + ((event.clientX - box.left) / box.width) * width)
  }
  const key = (side: Side) => (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }
    const now = bound[side] ?? (side === 'min' ? range.lo : range.hi)
    const step = steps[event.key]
    if (step !== undefined) move(side, Math.min(range.hi, Math.max(range.lo, now + (step * width) / 100)))
    else if (event.key === 'Home') move(side, range.lo)
    else if (event.key === 'End') move(side, range.hi)
    else return
    event.preventDefault()
  }
  const handle = (side: Side, x: number) => (
    <rect
      className="xp-handle"
      role="slider"
      tabIndex={range.constant ? -1 : 0}
      aria-label={t(`explorer.bounds.handle.${side}`, { metric: name })}
      aria-valuemin={plain(range.lo)}
      aria-valuemax={plain(range.hi)}
      aria-valuenow={plain(bound[side] ?? (side === 'min' ? range.lo : range.hi))}
      aria-valuetext={`${figure(bound[side] ?? (side === 'min' ? range.lo : range.hi), scale, lang)} ${scale.unit}`}
      aria-disabled={range.constant || undefined}
      x={x - 2}
      y={16}
      width={4}
      height={9}
      rx={1}
      onPointerDown={(event) => {
        if (!range.constant) event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={drag(side)}
      onKeyDown={key(side)}
    />
  )
  return (
    <svg ref={svg} className="xp-histogram" viewBox={`0 0 ${WIDTH} 26`} preserveAspectRatio="none">
      <path className="xp-bar-all" d={bars.all} />
      <path className="xp-bar-kept" d={bars.kept} />
      <path className="xp-track" d={`M0 20.5H${WIDTH}`} />
      {!range.constant && <path className="xp-span" d={`M${left} 20.5H${Math.max(left, right)}`} />}
      {handle('min', left)}
      {handle('max', right)}
    </svg>
  )
}
