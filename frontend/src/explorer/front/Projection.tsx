/** What stands over the plans of one projection: axes, marks of plans, bounds that can be dragged. */
import { type PointerEvent, useRef, useState } from 'react'

import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { withBound } from '../logic/address'
import type { Model } from '../logic/model'
import { fixed, scaleOf } from '../logic/scales'
import { tickDecimals } from '../logic/ticks'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'
import { canFit, defaultValue } from './axes'
import { type Cell, cellX, cellY, ticksX, ticksY, valueAtX, valueAtY } from './cell'
import type { Mark } from './dots'
import { HoverRing } from './Hovered'
import { marksOf } from './marked'
import { PlanMark } from './Mark'
import { HOVER_REACH, nearest } from './project'

/** About the width of a letter of an axis's name; a name may stand out this far on either side. */
const LETTER_PX = 6.5
const BESIDE_PX = 12

/** Labels at the ends of an axis stay inside it, so that neighbours do not touch. */
function anchorAt(cell: Cell, value: number): 'start' | 'middle' | 'end' {
  const x = cellX(cell, value) - cell.left
  return x > cell.width - 10 ? 'end' : x < 4 ? 'start' : 'middle'
}

interface Props {
  readonly xKey: MetricKey
  readonly yKey: MetricKey
  readonly model: Model
  readonly cell: Cell
  /** Where the plans are, null outside of the axes. */
  readonly positions: readonly (Mark | null)[]
  readonly labelX?: boolean
  readonly labelY?: boolean
}

export function Projection({ model, xKey, yKey, cell, positions, labelX, labelY }: Props) {
  const t = useT()
  const names = useNames()
  const { state, lang, hover, setA, setB, update } = useExplorer()
  const drag = useRef<{ metric: MetricKey; side: 'min' | 'max' } | null>(null)
  const [dragging, setDragging] = useState(false)
  const locale = LOCALES[lang]
  const { scales } = model
  const [scaleX, scaleY] = [scaleOf(scales, xKey), scaleOf(scales, yKey)]
  const narrow = state.fit && canFit(model)

  const place = (event: PointerEvent<SVGElement>) => {
    const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }
  const move = (event: PointerEvent<SVGElement>) => {
    const at = place(event)
    const held = drag.current
    if (!held) {
      hover.set(nearest(positions, at.x, at.y, HOVER_REACH))
      return
    }
    const value = (held.metric === xKey ? valueAtX(cell, at.x) : valueAtY(cell, at.y)) / scaleOf(scales, held.metric).factor
    const old = state.bounds[held.metric] ?? { min: null, max: null }
    update({ bounds: withBound(state.bounds, held.metric, { ...old, [held.side]: Number(value.toPrecision(4)) }) }, 'gesture')
  }
  const bounds = ([xKey, yKey] as const).flatMap((metric) =>
    (['min', 'max'] as const).flatMap((side) => {
      const limit = state.bounds[metric]?.[side]
      if (limit === null || limit === undefined) return []
      const value = limit * scaleOf(scales, metric).factor
      const axis = metric === xKey ? cell.x : cell.y
      if (value < axis.lo || value > axis.hi) return []
      const d =
        metric === xKey
          ? `M${cellX(cell, value)} ${cell.top}v${cell.height}`
          : `M${cell.left} ${cellY(cell, value)}h${cell.width}`
      return [{ metric, side, d }]
    }),
  )

  const labelled = (list: readonly number[], range: Cell['x'], decimals: number) => {
    const digits = range.constant ? decimals : tickDecimals(list)
    return list.map((value) => ({ value, text: fixed(value, digits, locale) }))
  }
  const xs = labelled(ticksX(cell), cell.x, scaleX.decimals)
  const ys = labelled(ticksY(cell), cell.y, scaleY.decimals)
  const title = (metric: MetricKey, range: Cell['x'], room: number) => {
    const whole = names.title(metric)
    const wide = whole.length * (lang === 'zh' ? 10 : LETTER_PX)
    return `${wide > room ? names.short(metric) : whole}${range.constant ? ` · ${t('explorer.constant')}` : ''}`
  }
  const mark = (index: number, which: 'A' | 'B' | 'knee' | 'pick') => {
    const p = positions[index]
    return p && <PlanMark x={p.x} y={p.y} which={which} />
  }
  const [refX, refY] = narrow ? [null, null] : [defaultValue(model, xKey), defaultValue(model, yKey)]
  const { knee, pick } = marksOf(model)
  const below = cell.top + cell.height
  return (
    <g role="img" aria-label={t('explorer.projection', { x: names.name(xKey), y: names.name(yKey) })}>
      <path className="xp-axis" d={`M${cell.left} ${cell.top}v${cell.height}h${cell.width}`} />
      {labelX && (
        <>
          {xs.map(({ value, text }) => (
            <text key={value} className="xp-tick" x={cellX(cell, value)} y={below + 14} textAnchor={anchorAt(cell, value)}>
              {text}
            </text>
          ))}
          <text className="xp-name" x={cell.left + cell.width / 2} y={below + 30} textAnchor="middle">
            {title(xKey, cell.x, cell.width + 2 * BESIDE_PX)}
          </text>
        </>
      )}
      {labelY && (
        <>
          {ys.map(({ value, text }) => (
            <text key={value} className="xp-tick" x={cell.left - 5} y={cellY(cell, value) + 4} textAnchor="end">
              {text}
            </text>
          ))}
          <text
            className="xp-name"
            transform={`translate(${cell.left - 40} ${cell.top + cell.height / 2}) rotate(-90)`}
            textAnchor="middle"
          >
            {title(yKey, cell.y, cell.height)}
          </text>
        </>
      )}
      {refX !== null && refY !== null && <PlanMark x={cellX(cell, refX)} y={cellY(cell, refY)} which="default" />}
      {mark(knee, 'knee')}
      {mark(pick, 'pick')}
      {mark(model.b, 'B')}
      {mark(model.a, 'A')}
      <HoverRing positions={positions} />
      <rect
        className="xp-hit"
        data-dragging={dragging || undefined}
        x={cell.left}
        y={cell.top}
        width={cell.width}
        height={cell.height}
        onPointerMove={move}
        onPointerLeave={() => hover.set(-1)}
        onPointerUp={(event) => {
          const at = place(event)
          const index = nearest(positions, at.x, at.y, 12)
          if (index >= 0) (event.shiftKey ? setB : setA)(index)
        }}
      />
      {bounds.map(({ metric, side, d }) => (
        <g key={metric + side} className={metric === xKey ? 'xp-limit xp-limit-x' : 'xp-limit xp-limit-y'}>
          <path className="xp-limit-line" d={d} />
          <path
            className="xp-limit-grip"
            d={d}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId)
              drag.current = { metric, side }
              setDragging(true)
            }}
            onPointerMove={move}
            onPointerUp={() => {
              drag.current = null
              setDragging(false)
            }}
          />
        </g>
      ))}
    </g>
  )
}
