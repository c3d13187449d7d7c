/** Geometry of the parallel coordinates: where the axes stand, and every plan's heights on them. */
import { columnOf, type Table } from '../logic/measures'
import { type Scales, scaleOf } from '../logic/scales'
import type { MetricKey } from '../types'
import { rangeAt, type Ranges } from './axes'
import type { Lines } from './dots'

export interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Horizontal places of `count` axes. */
export function axisPlaces({ left, right }: Frame, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => left + (i * (right - left)) / Math.max(1, count - 1))
}

/** Height of a value in display units. */
export function heightOf({ top, bottom }: Frame, ranges: Ranges, metric: MetricKey, value: number): number {
  const { lo, hi } = rangeAt(ranges, metric)
  return bottom - ((value - lo) / (hi - lo || 1)) * (bottom - top)
}

/** Value in API units at a height, to four digits. */
export function valueAtHeight({ top, bottom }: Frame, ranges: Ranges, scales: Scales, metric: MetricKey, y: number): number {
  const { lo, hi } = rangeAt(ranges, metric)
  const share = Math.min(1, Math.max(0, (bottom - y) / (bottom - top || 1)))
  return Number(((lo + share * (hi - lo)) / scaleOf(scales, metric).factor).toPrecision(4))
}

export function linesOf(table: Table, scales: Scales, metrics: readonly MetricKey[], ranges: Ranges, frame: Frame): Lines {
  const ys = new Float64Array(table.count * metrics.length).fill(Number.NaN)
  metrics.forEach((metric, k) => {
    const { factor } = scaleOf(scales, metric)
    columnOf(table, metric).forEach((value, row) => {
      if (Number.isFinite(value)) ys[row * metrics.length + k] = heightOf(frame, ranges, metric, value * factor)
    })
  })
  return { xs: axisPlaces(frame, metrics.length), ys, count: table.count }
}
