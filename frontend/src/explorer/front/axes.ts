/** Axis ranges of the front in display units: all plans with the default and the earlier ones, or the passing only. */
import { columnOf, measureOf } from '../logic/measures'
import type { Model } from '../logic/model'
import { scaleOf } from '../logic/scales'
import { type Range, rangeOf } from '../logic/ticks'
import type { Earlier } from '../state/earlier'
import type { MetricKey } from '../types'

export type Ranges = Readonly<Record<MetricKey, Range>>

/** Whether "Passing" has anything to fit to. */
export function canFit(model: Model): boolean {
  return model.selection.nPassing > 0
}

/** The default plan's value in display units; null where it is not known. */
export function defaultValue(model: Model, metric: MetricKey): number | null {
  const reference = measureOf(model.table, metric)?.reference ?? null
  return reference === null ? null : reference * scaleOf(model.scales, metric).factor
}

/** One column in display units. */
export function shownValues(model: Pick<Model, 'scales' | 'table'>, metric: MetricKey): number[] {
  const { factor } = scaleOf(model.scales, metric)
  return columnOf(model.table, metric).map((value) => value * factor)
}

export function rangesOf(model: Model, keys: readonly MetricKey[], fit: boolean, pad: number, earlier: Earlier | null): Ranges {
  const narrow = fit && canFit(model)
  const of = (metric: MetricKey): Range => {
    const { factor } = scaleOf(model.scales, metric)
    const all = shownValues(model, metric)
    const { passing } = model.selection
    const values = narrow ? all.filter((_, i) => passing[i] || i === model.a || i === model.b) : all
    if (narrow) return rangeOf(values, pad, 0)
    const reference = defaultValue(model, metric)
    const before = earlier ? columnOf(earlier.whole ?? earlier.table, metric).map((value) => value * factor) : []
    return rangeOf([...values, ...before, ...(reference === null ? [] : [reference])], pad, 0)
  }
  return Object.fromEntries(keys.map((m) => [m, of(m)]))
}

export const NO_RANGE: Range = { lo: 0, hi: 1, constant: true, at: 0 }

export function rangeAt(ranges: Ranges, metric: MetricKey): Range {
  return ranges[metric] ?? NO_RANGE
}

export function within(range: Range, value: number): boolean {
  return value >= range.lo && value <= range.hi
}
