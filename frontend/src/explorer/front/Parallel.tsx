/** Parallel coordinates: one axis a metric, one line a plan; brushing an axis writes the bounds. */
import { useCallback, useMemo, useRef, useState } from 'react'

import { mix } from '../../drawing/colours'
import { useSize } from '../../drawing/use-size'
import { useT } from '../../i18n'
import { useTokens } from '../../theme/tokens'
import { withBound } from '../logic/address'
import { parallelAxes } from '../logic/axes'
import { useAfterPaint } from '../state/after-paint'
import { useExplorer } from '../state/context'
import type { MetricKey } from '../types'
import { defaultValue, rangeAt } from './axes'
import { lineAt, linePath, paintLines, paintRanked, polyline } from './dots'
import { HoverLine } from './Hovered'
import { Layer } from './Layer'
import { lookOf } from './look'
import { PlanMark } from './Mark'
import { marksOf } from './marked'
import { axisPlaces, heightOf, linesOf, valueAtHeight } from './parallel-lines'
import { ParallelAxis } from './ParallelAxis'
import { useRanges } from './use-ranges'

const SIDE = 46
/** Above this many lines each is one device pixel wide: the only width that is drawn without being outlined first. */
const MANY = 300
/** A brush shorter than this many pixels is a click, not a bound. */
const LEAST_BRUSH = 4
/** Axes stand at least this many pixels apart. */
const LEAST_GAP = 96
/** A line this near to the pointer is under it. */
const REACH = 8

export function Parallel({ tall = false }: { tall?: boolean }) {
  const t = useT()
  const { model: newest, state, earlier, hover, setA, setB, update } = useExplorer()
  // Figures and the 3-D view come first while a slider moves; the lines follow.
  const model = useAfterPaint(newest)
  const tokens = useTokens()
  const [ref, { width, height, ratio }] = useSize()
  const start = useRef<{ metric: MetricKey; y: number } | null>(null)
  const [brush, setBrush] = useState<{ metric: MetricKey; y0: number; y1: number } | null>(null)
  const { table, scales, selection } = model
  const shown = parallelAxes(
    table,
    [...model.axes.keys, ...(model.axes.colour ? [model.axes.colour] : []), ...(model.axes.size ? [model.axes.size] : []), ...Object.keys(model.bounds)],
    Math.floor((width - 2 * SIDE) / LEAST_GAP) + 1,
  ).join()
  const metrics = useMemo(() => shown.split(','), [shown])
  const ranges = useRanges(model, shown, false, 0.04, earlier)
  const staggered = (width - 2 * SIDE) / (metrics.length - 1) < 132
  const top = staggered ? 52 : 40
  const bottom = height - (tall ? 22 : 12)
  const frame = useMemo(() => ({ left: SIDE, right: width - SIDE, top, bottom }), [width, top, bottom])
  const xs = useMemo(() => axisPlaces(frame, metrics.length), [frame, metrics])
  const lines = useMemo(() => linesOf(table, scales, metrics, ranges, frame), [table, scales, metrics, ranges, frame])
  const ghosts = useMemo(() => earlier && linesOf(earlier.table, scales, metrics, ranges, frame), [earlier, scales, metrics, ranges, frame])
  const look = useMemo(() => lookOf(model, tokens), [model, tokens])
  const draw = useCallback(
    (g: CanvasRenderingContext2D, dots: number) => {
      const hair = 1 / dots
      const grey = (name: string) => mix(tokens.value(name), tokens.value('bg'), 0.3)
      const isMany = lines.count > MANY
      if (ghosts) {
        g.strokeStyle = grey('line-control')
        g.lineWidth = Math.min(0.8, hair)
        if (ghosts.count <= MANY) g.setLineDash([2, 3])
        paintLines(g, ghosts, Array.from({ length: ghosts.count }, (_, i) => i))
        g.setLineDash([])
      }
      g.strokeStyle = grey('score-out')
      g.lineWidth = Math.min(0.7, hair)
      paintLines(g, lines, look.out)
      g.lineWidth = isMany ? hair : 1.2
      paintRanked(g, lines, look)
    },
    [lines, ghosts, look, tokens],
  )
  const line = useCallback((i: number) => (i >= 0 && i < lines.count ? linePath(lines, i) : ''), [lines])

  const value = (metric: MetricKey, y: number) => valueAtHeight(frame, ranges, scales, metric, y)
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
  const brushed = (metric: MetricKey, y: number, phase: 'start' | 'move' | 'end' | 'cancel') => {
    const inside = Math.min(bottom, Math.max(top, y))
    if (phase === 'start') start.current = { metric, y }
    else if (phase === 'end') finish(inside)
    else if (phase === 'cancel') {
      start.current = null
      setBrush(null)
    } else if (start.current) setBrush({ metric, y0: start.current.y, y1: inside })
  }
  const reference = metrics.flatMap((metric, i) => {
    const of = defaultValue(model, metric)
    return of === null ? [] : [{ x: xs[i] ?? 0, y: heightOf(frame, ranges, metric, of) }]
  })
  const last = metrics.length - 1
  const end = (i: number) => {
    const y = i < 0 ? undefined : lines.ys[i * metrics.length + last]
    return y === undefined || Number.isNaN(y) ? null : { x: xs[last] ?? 0, y }
  }
  const [endA, endB] = [end(model.a), end(model.b)]
  const marks = marksOf(model)
  /** Where a plan's line meets each axis. */
  const crossings = (i: number) =>
    i < 0 ? [] : metrics.flatMap((metric, k) => {
      const y = lines.ys[i * metrics.length + k]
      return y === undefined || Number.isNaN(y) ? [] : [{ metric, x: xs[k] ?? 0, y }]
    })
  return (
    <div className={tall ? 'xp-parallel xp-parallel-tall' : 'xp-parallel'} ref={ref}>
      {width > 200 && height > 70 && (
        <div className="xp-layers">
          <Layer width={width} height={height} ratio={ratio} draw={draw} plans={lines.count} earlier={ghosts?.count ?? 0} />
          <svg
            width={width}
            height={height}
            role="group"
            aria-label={t('explorer.parallel')}
            onPointerMove={(event) => {
              if (start.current) return
              const box = event.currentTarget.getBoundingClientRect()
              hover.set(lineAt(lines, event.clientX - box.left, event.clientY - box.top, REACH, selection.passing))
            }}
            onPointerLeave={() => hover.set(-1)}
            onClick={(event) => {
              const index = hover.get()
              if (index >= 0) (event.shiftKey ? setB : setA)(index)
            }}
          >
            {reference.length > 1 && <path className="xp-line-default" d={polyline(reference)} />}
            {(['knee', 'pick'] as const).map(
              (which) => marks[which] >= 0 && marks[which] !== model.a && marks[which] !== model.b && <path key={which} className="xp-line-mark" d={line(marks[which])} />,
            )}
            {model.b >= 0 && <path className="xp-line-b" d={line(model.b)} />}
            {model.a >= 0 && <path className="xp-line-a" d={line(model.a)} />}
            <HoverLine line={line} />
            {metrics.map((metric, i) => (
              <ParallelAxis
                key={metric}
                metric={metric}
                model={model}
                range={rangeAt(ranges, metric)}
                x={xs[i] ?? 0}
                top={top}
                bottom={bottom}
                end={i === 0 ? 'first' : i === last ? 'last' : null}
                lower={staggered && i % 2 === 1}
                height={(shownValue) => heightOf(frame, ranges, metric, shownValue)}
                bound={state.bounds[metric]}
                held={brush?.metric === metric ? brush : null}
                onBrush={(y, phase) => brushed(metric, y, phase)}
                onClear={() => update({ bounds: withBound(state.bounds, metric, { min: null, max: null }) })}
              />
            ))}
            {(['knee', 'pick'] as const).map((which) =>
              crossings(marks[which]).map(({ metric, x, y }) => (
                <path
                  key={`${which} ${metric}`}
                  className="xp-mark-open"
                  data-mark={which}
                  d={which === 'knee' ? `M${x - 5} ${y - 5}h10v10h-10z` : `M${x} ${y - 7}l6.5 11h-13z`}
                />
              )),
            )}
            {endA && <PlanMark x={endA.x + 14} y={endA.y} which="A" />}
            {endB && <PlanMark x={endB.x + (endA && Math.abs(endA.y - endB.y) < 16 ? 31 : 14)} y={endB.y} which="B" />}
          </svg>
        </div>
      )}
    </div>
  )
}
