/** One axis of the parallel coordinates: name, ticks, its bound as a bar, and the strip that is brushed. */
import type { PointerEvent } from 'react'

import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { measureOf } from '../logic/measures'
import type { Model } from '../logic/model'
import { fixed, scaleOf } from '../logic/scales'
import type { Bound } from '../logic/selection'
import { type Range, tickDecimals, ticks } from '../logic/ticks'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'

interface Props {
  readonly metric: MetricKey
  readonly model: Model
  readonly range: Range
  readonly x: number
  readonly top: number
  readonly bottom: number
  readonly end: 'first' | 'last' | null
  /** Names of neighbours would touch: this one stands lower. */
  readonly lower: boolean
  readonly height: (displayed: number) => number
  readonly bound: Bound | undefined
  /** Heights of a brush that is being drawn. */
  readonly held: { readonly y0: number; readonly y1: number } | null
  readonly onBrush: (y: number, phase: 'start' | 'move' | 'end' | 'cancel') => void
  readonly onClear: () => void
}

export function ParallelAxis({ metric, model, range, x, top, bottom, end, lower, height, bound, held, onBrush, onClear }: Props) {
  const t = useT()
  const names = useNames()
  const { lang } = useExplorer()
  const scale = scaleOf(model.scales, metric)
  const list = range.constant ? [range.at] : ticks(range.lo, range.hi, 3)
  const digits = range.constant ? scale.decimals : tickDecimals(list)
  const clamp = (value: number) => Math.min(bottom, Math.max(top, height(value * scale.factor)))
  const y1 = held ? Math.min(held.y0, held.y1) : typeof bound?.max === 'number' ? clamp(bound.max) : top
  const y0 = held ? Math.max(held.y0, held.y1) : typeof bound?.min === 'number' ? clamp(bound.min) : bottom
  const offset = (event: PointerEvent<SVGElement>) =>
    event.clientY - (event.currentTarget.ownerSVGElement?.getBoundingClientRect().top ?? 0)
  return (
    <g>
      <path className="xp-axis" d={`M${x} ${top}V${bottom}`} />
      <text
        className="xp-name"
        x={end === 'first' ? x - 40 : end === 'last' ? x + 40 : x}
        y={lower ? 36 : 18}
        textAnchor={end === 'first' ? 'start' : end === 'last' ? 'end' : 'middle'}
      >
        <title>{names.sourced(metric)}</title>
        {names.name(metric)}
        {measureOf(model.table, metric)?.direction === 'max' && ' ↑'}
        <tspan className="xp-tick" dx={5}>
          {range.constant ? t('explorer.constant') : scale.unit}
        </tspan>
      </text>
      {list.map((value) => (
        <g key={value}>
          <path className="xp-axis" d={`M${x - 3} ${height(value)}h3`} />
          <text className="xp-tick xp-halo" x={x - 6} y={height(value) + 4} textAnchor="end">
            {fixed(value, digits, LOCALES[lang])}
          </text>
        </g>
      ))}
      {(bound || held) && (
        <>
          <rect className="xp-brush" x={x - 1.5} y={y1} width={3} height={Math.max(0, y0 - y1)} />
          <rect className="xp-brush" x={x - 6} y={y1 - 2} width={12} height={4} rx={1} />
          <rect className="xp-brush" x={x - 6} y={y0 - 2} width={12} height={4} rx={1} />
        </>
      )}
      {!range.constant && (
        <rect
          className="xp-brush-hit"
          x={x - 10}
          y={top - 4}
          width={20}
          height={Math.max(0, bottom - top + 8)}
          onClick={(event) => event.stopPropagation()}
          onDoubleClick={onClear}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            onBrush(offset(event), 'start')
          }}
          onPointerMove={(event) => onBrush(offset(event), 'move')}
          onPointerUp={(event) => onBrush(offset(event), 'end')}
          onPointerCancel={() => onBrush(0, 'cancel')}
        >
          <title>{t('explorer.parallel.brush')}</title>
        </rect>
      )}
    </g>
  )
}
