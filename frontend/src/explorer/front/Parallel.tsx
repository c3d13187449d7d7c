/** Parallel coordinates: one axis a metric, one line a plan; brushing an axis writes the bounds. */
import { type PointerEvent, useDeferredValue, useMemo, useRef, useState } from 'react'

import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { useTokens } from '../../theme/tokens'
import { withBound } from '../logic/address'
import { parallelAxes } from '../logic/axes'
import { columnOf, measureOf } from '../logic/measures'
import { fixed, scaleOf } from '../logic/scales'
import { tickDecimals, ticks } from '../logic/ticks'
import { useExplorer, useHovered } from '../state/context'
import { useSize } from '../../drawing/use-size'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'
import { defaultValue, rangeAt } from './axes'
import { buckets, polyline } from './dots'
import { lookOf } from './look'
import { PlanMark } from './Mark'
import { useRanges } from './use-ranges'

const SIDE = 46
/** Above this many lines smooth edges cost more than they show. */
const MANY = 300
/** A brush shorter than this many pixels is a click, not a bound. */
const LEAST_BRUSH = 4
/** Axes stand at least this many pixels apart. */
const LEAST_GAP = 96

export function Parallel({ tall = false }: { tall?: boolean }) {
  const t = useT()
  const names = useNames()
  const { model: newest, state, lang, earlier, hover, setA, setB, update } = useExplorer()
  // Figures and the 3-D view come first while a slider moves; the lines follow.
  const model = useDeferredValue(newest)
  const tokens = useTokens()
  const hovered = useHovered()
  const [ref, { width, height }] = useSize()
  const start = useRef<{ metric: MetricKey; y: number } | null>(null)
  const [brush, setBrush] = useState<{ metric: MetricKey; y0: number; y1: number } | null>(null)
  const { plans, table, scales, selection } = model
  const shown = parallelAxes(
    table,
    [...model.axes.keys, ...(model.axes.colour ? [model.axes.colour] : []), ...(model.axes.size ? [model.axes.size] : []), ...Object.keys(model.bounds)],
    Math.floor((width - 2 * SIDE) / LEAST_GAP) + 1,
  ).join()
  const metrics = useMemo(() => shown.split(','), [shown])
  const ranges = useRanges(model, shown, false, 0.04, earlier)
  const scale = (metric: MetricKey) => scaleOf(scales, metric)
  const staggered = (width - 2 * SIDE) / (metrics.length - 1) < 132
  const top = staggered ? 52 : 40
  const bottom = height - (tall ? 22 : 12)
  const locale = LOCALES[lang]
  const x = (i: number) => SIDE + (i * (width - 2 * SIDE)) / (metrics.length - 1)
  const geometry = useMemo(() => {
    const y = (metric: MetricKey, value: number) => {
      const { lo, hi } = rangeAt(ranges, metric)
      return bottom - ((value - lo) / (hi - lo || 1)) * (bottom - top)
    }
    const at = (i: number) => SIDE + (i * (width - 2 * SIDE)) / (metrics.length - 1)
    const linesOf = (from: typeof table) => {
      const columns = metrics.map((m) => ({ m, values: columnOf(from, m), factor: scaleOf(scales, m).factor }))
      return Array.from({ length: from.count }, (_, row) =>
        columns.flatMap(({ m, values, factor }, i) => {
          const value = values[row]
          return value === undefined || !Number.isFinite(value) ? [] : [{ x: at(i), y: y(m, value * factor) }]
        }),
      )
    }
    return { y, lines: linesOf(table), ghosts: earlier ? linesOf(earlier.table).map(polyline).join('') : '' }
  }, [table, earlier, metrics, scales, ranges, width, top, bottom])
  /** A line's path does not change with its colour. */
  const pieces = useMemo(() => geometry.lines.map(polyline), [geometry])

  const layers = useMemo(() => {
    const look = lookOf(model, tokens)
    const removed = look.out.map((i) => pieces[i] ?? '').join('')
    return { removed, passing: buckets(look.order, (i) => look.colours[i] ?? '', (i) => pieces[i] ?? null) }
  }, [model, pieces, tokens])

  const value = (metric: MetricKey, y: number) => {
    const { lo, hi } = rangeAt(ranges, metric)
    const share = Math.min(1, Math.max(0, (bottom - y) / (bottom - top || 1)))
    return Number(((lo + share * (hi - lo)) / scale(metric).factor).toPrecision(4))
  }
  const offset = (event: PointerEvent<SVGElement>) => {
    const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect() ?? event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  /** The plan whose line is nearest in height at this x. */
  const planAt = (px: number, py: number): number => {
    const gap = (width - 2 * SIDE) / (metrics.length - 1)
    const left = Math.min(metrics.length - 2, Math.max(0, Math.floor((px - SIDE) / gap)))
    const share = (px - x(left)) / gap
    let best = -1
    let least = 8
    geometry.lines.forEach((line, i) => {
      const a = line[left]?.y ?? 0
      const b = line[left + 1]?.y ?? 0
      const away = Math.abs(a + (b - a) * share - py)
      if (away < least || (away === least && selection.passing[i])) {
        least = away
        best = i
      }
    })
    return best
  }
  const clear = (metric: MetricKey) => update({ bounds: withBound(state.bounds, metric, { min: null, max: null }) })
  const finish = (y1: number) => {
    const from = start.current
    start.current = null
    setBrush(null)
    if (!from || Math.abs(y1 - from.y) < LEAST_BRUSH) return
    const [low, high] = [Math.max(from.y, y1), Math.min(from.y, y1)]
    const bound = {
      min: low >= bottom - 1 ? null : value(from.metric, low),
      max: high <= top + 1 ? null : value(from.metric, high),
    }
    update({ bounds: withBound(state.bounds, from.metric, bound) })
  }
  const reference = metrics.flatMap((m, i) => {
    const v = defaultValue(model, m)
    return v === null ? [] : [{ x: x(i), y: geometry.y(m, v) }]
  })
  const line = (i: number) => polyline(geometry.lines[i] ?? [])
  const end = (i: number) => geometry.lines[i]?.at(-1)
  const endA = end(model.a)
  const endB = end(model.b)
  return (
    <div className={tall ? 'xp-parallel xp-parallel-tall' : 'xp-parallel'} ref={ref}>
      {width > 200 && height > 70 && (
        <svg
          width={width}
          height={height}
          role="group"
          aria-label={t('explorer.parallel')}
          onPointerMove={(event) => {
            if (start.current) return
            const box = event.currentTarget.getBoundingClientRect()
            hover.set(planAt(event.clientX - box.left, event.clientY - box.top))
          }}
          onPointerLeave={() => hover.set(-1)}
          onClick={(event) => {
            if (hovered >= 0) (event.shiftKey ? setB : setA)(hovered)
          }}
        >
          {geometry.ghosts && <path className="xp-lines-ghost" d={geometry.ghosts} />}
          <path className="xp-lines-out" d={layers.removed} shapeRendering={plans.length > MANY ? 'optimizeSpeed' : undefined} />
          {layers.passing.map((b) => (
            <path key={b.d.slice(0, 60)} className="xp-lines" stroke={b.colour} d={b.d} shapeRendering={plans.length > MANY ? 'optimizeSpeed' : undefined} />
          ))}
          {reference.length > 1 && <path className="xp-line-default" d={polyline(reference)} />}
          {model.b >= 0 && <path className="xp-line-b" d={line(model.b)} />}
          {model.a >= 0 && <path className="xp-line-a" d={line(model.a)} />}
          {hovered >= 0 && <path className="xp-line-hover" d={line(hovered)} />}
          {metrics.map((metric, i) => {
            const range = rangeAt(ranges, metric)
            const list = range.constant ? [range.at] : ticks(range.lo, range.hi, 3)
            const digits = range.constant ? scale(metric).decimals : tickDecimals(list)
            const anchor = i === 0 ? 'start' : i === metrics.length - 1 ? 'end' : 'middle'
            const px = i === 0 ? x(i) - 40 : i === metrics.length - 1 ? x(i) + 40 : x(i)
            const bound = state.bounds[metric]
            const f = scale(metric).factor
            const clamp = (v: number) => Math.min(bottom, Math.max(top, geometry.y(metric, v * f)))
            const held = brush?.metric === metric ? brush : null
            const y1 = held ? Math.min(held.y0, held.y1) : typeof bound?.max === 'number' ? clamp(bound.max) : top
            const y0 = held ? Math.max(held.y0, held.y1) : typeof bound?.min === 'number' ? clamp(bound.min) : bottom
            const canBrush = !range.constant
            return (
              <g key={metric}>
                <path className="xp-axis" d={`M${x(i)} ${top}V${bottom}`} />
                <text className="xp-name" x={px} y={staggered && i % 2 ? 36 : 18} textAnchor={anchor}>
                  {names.name(metric)}
                  {measureOf(table, metric)?.direction === 'max' && ' ↑'}
                  <tspan className="xp-tick" dx={5}>
                    {range.constant ? t('explorer.constant') : scale(metric).unit}
                  </tspan>
                </text>
                {list.map((v) => (
                  <g key={v}>
                    <path className="xp-axis" d={`M${x(i) - 3} ${geometry.y(metric, v)}h3`} />
                    <text className="xp-tick xp-halo" x={x(i) - 6} y={geometry.y(metric, v) + 4} textAnchor="end">
                      {fixed(v, digits, locale)}
                    </text>
                  </g>
                ))}
                {(bound || held) && (
                  <>
                    <rect className="xp-brush" x={x(i) - 1.5} y={y1} width={3} height={Math.max(0, y0 - y1)} />
                    <rect className="xp-brush" x={x(i) - 6} y={y1 - 2} width={12} height={4} rx={1} />
                    <rect className="xp-brush" x={x(i) - 6} y={y0 - 2} width={12} height={4} rx={1} />
                  </>
                )}
                {canBrush && (
                  <rect
                    className="xp-brush-hit"
                    x={x(i) - 10}
                    y={top - 4}
                    width={20}
                    height={Math.max(0, bottom - top + 8)}
                    onClick={(event) => event.stopPropagation()}
                    onDoubleClick={() => clear(metric)}
                    onPointerDown={(event) => {
                      event.currentTarget.setPointerCapture(event.pointerId)
                      start.current = { metric, y: offset(event).y }
                    }}
                    onPointerMove={(event) => {
                      const from = start.current
                      if (!from) return
                      const { y } = offset(event)
                      setBrush({ metric, y0: from.y, y1: Math.min(bottom, Math.max(top, y)) })
                    }}
                    onPointerUp={(event) => finish(Math.min(bottom, Math.max(top, offset(event).y)))}
                    onPointerCancel={() => {
                      start.current = null
                      setBrush(null)
                    }}
                  >
                    <title>{t('explorer.parallel.brush')}</title>
                  </rect>
                )}
              </g>
            )
          })}
          {endA && <PlanMark x={endA.x + 14} y={endA.y} which="A" />}
          {endB && <PlanMark x={endB.x + (endA && Math.abs(endA.y - endB.y) < 16 ? 31 : 14)} y={endB.y} which="B" />}
        </svg>
      )}
    </div>
  )
}
