/** One projection of the front: plans by score, marks of A, B and default, bounds that can be dragged. */
import { type PointerEvent, useMemo, useRef, useState } from 'react'

import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { useTokens } from '../../theme/tokens'
import { withBound } from '../logic/address'
import { rankColours } from '../logic/ramp'
import { fixed } from '../logic/scales'
import { tickDecimals, ticks } from '../logic/ticks'
import { useExplorer } from '../state/context'
import type { ObjectiveKey } from '../types'
import { canFit, defaultValue } from './axes'
import { type Cell, cellX, cellY, valueAtX, valueAtY } from './cell'
import { buckets, dot } from './dots'
import { PlanMark } from './Mark'
import { nearest } from './project'

/** Labels at the ends of an axis stay inside it, so that neighbours do not touch. */
function anchorAt(cell: Cell, value: number): 'start' | 'middle' | 'end' {
  const x = cellX(cell, value) - cell.left
  return x > cell.width - 10 ? 'end' : x < 4 ? 'start' : 'middle'
}

interface Props {
  readonly xKey: ObjectiveKey
  readonly yKey: ObjectiveKey
  readonly cell: Cell
  readonly hovered: number
  readonly labelX?: boolean
  readonly labelY?: boolean
}

export function Projection({ xKey, yKey, cell, hovered, labelX, labelY }: Props) {
  const t = useT()
  const { model, state, lang, hover, setA, setB, update } = useExplorer()
  const tokens = useTokens()
  const drag = useRef<{ metric: ObjectiveKey; side: 'min' | 'max' } | null>(null)
  const [dragging, setDragging] = useState(false)
  const locale = LOCALES[lang]
  const { plans, scales, selection } = model
  const narrow = state.fit && canFit(model)

  const positions = useMemo(() => {
    const fx = scales[xKey].factor
    const fy = scales[yKey].factor
    return plans.map((p) => {
      const x = p[xKey] * fx
      const y = p[yKey] * fy
      const within = x >= cell.x.lo && x <= cell.x.hi && y >= cell.y.lo && y <= cell.y.hi
      return within ? { x: cellX(cell, x), y: cellY(cell, y), depth: 0 } : null
    })
  }, [plans, scales, xKey, yKey, cell])

  const layers = useMemo(() => {
    const out = tokens.value('score-out')
    const ranked = selection.nPassing ? selection.ranked : []
    const colours = rankColours(plans.length, ranked, tokens.score, out)
    const piece = (i: number) => {
      const p = positions[i]
      return p ? dot(p) : null
    }
    const removed = plans.map((_, i) => (selection.nPassing && selection.passing[i] ? '' : (piece(i) ?? ''))).join('')
    return { removed, passing: buckets(ranked, (i) => colours[i] ?? out, piece) }
  }, [plans, positions, selection, tokens])

  const place = (event: PointerEvent<SVGElement>) => {
    const box = event.currentTarget.ownerSVGElement?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }
  const move = (event: PointerEvent<SVGElement>) => {
    const at = place(event)
    const held = drag.current
    if (!held) {
      hover.set(nearest(positions, at.x, at.y, 10))
      return
    }
    const value = (held.metric === xKey ? valueAtX(cell, at.x) : valueAtY(cell, at.y)) / scales[held.metric].factor
    const old = state.bounds[held.metric] ?? { min: null, max: null }
    update({ bounds: withBound(state.bounds, held.metric, { ...old, [held.side]: Number(value.toPrecision(4)) }) }, 'gesture')
  }
  const bounds = ([xKey, yKey] as const).flatMap((metric) =>
    (['min', 'max'] as const).flatMap((side) => {
      const limit = state.bounds[metric]?.[side]
      if (limit === null || limit === undefined) return []
      const value = limit * scales[metric].factor
      const axis = metric === xKey ? cell.x : cell.y
      if (value < axis.lo || value > axis.hi) return []
      const d =
        metric === xKey
          ? `M${cellX(cell, value)} ${cell.top}v${cell.height}`
          : `M${cell.left} ${cellY(cell, value)}h${cell.width}`
      return [{ metric, side, d }]
    }),
  )

  const axisTicks = (range: Cell['x'], count: number, decimals: number) => {
    const list = range.constant ? [range.at] : ticks(range.lo, range.hi, count)
    const digits = range.constant ? decimals : tickDecimals(list)
    return list.map((value) => ({ value, text: fixed(value, digits, locale) }))
  }
  const xs = axisTicks(cell.x, cell.width > 200 ? 5 : 3, scales[xKey].decimals)
  const ys = axisTicks(cell.y, cell.height > 150 ? 5 : 3, scales[yKey].decimals)
  const title = (metric: ObjectiveKey, range: Cell['x']) =>
    `${t(`explorer.metric.${metric}`)} ${scales[metric].unit}${range.constant ? ` · ${t('explorer.constant')}` : ''}`
  const mark = (index: number, which: 'A' | 'B') => {
    const p = positions[index]
    return p && <PlanMark x={p.x} y={p.y} which={which} />
  }
  const ref = narrow ? null : { x: defaultValue(model, xKey) ?? 0, y: defaultValue(model, yKey) ?? 0 }
  const over = positions[hovered]
  const below = cell.top + cell.height
  return (
    <g role="img" aria-label={t('explorer.projection', { x: t(`explorer.metric.${xKey}`), y: t(`explorer.metric.${yKey}`) })}>
      {xs.map(({ value }) => (
        <path key={`x${value}`} className="xp-rule" d={`M${cellX(cell, value)} ${cell.top}v${cell.height}`} />
      ))}
      {ys.map(({ value }) => (
        <path key={`y${value}`} className="xp-rule" d={`M${cell.left} ${cellY(cell, value)}h${cell.width}`} />
      ))}
      <path className="xp-axis" d={`M${cell.left} ${cell.top}v${cell.height}h${cell.width}`} />
      {labelX && (
        <>
          {xs.map(({ value, text }) => (
            <text key={value} className="xp-tick" x={cellX(cell, value)} y={below + 14} textAnchor={anchorAt(cell, value)}>
              {text}
            </text>
          ))}
          <text className="xp-name" x={cell.left + cell.width / 2} y={below + 30} textAnchor="middle">
            {title(xKey, cell.x)}
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
            {title(yKey, cell.y)}
          </text>
        </>
      )}
      <path className="xp-dots-out" d={layers.removed} />
      {layers.passing.map((b) => (
        <path key={b.d.slice(0, 40)} className="xp-dots" stroke={b.colour} d={b.d} />
      ))}
      {ref && <PlanMark x={cellX(cell, ref.x)} y={cellY(cell, ref.y)} which="default" />}
      {mark(model.b, 'B')}
      {mark(model.a, 'A')}
      {over && <circle className="xp-ring" cx={over.x} cy={over.y} r={6} />}
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
