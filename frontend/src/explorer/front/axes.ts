/** Axis ranges of the front in display units: all plans with the default one, or the passing plans only. */
import type { Model } from '../logic/model'
import { type Range, rangeOf } from '../logic/ticks'
import { type MetricKey, METRICS } from '../types'

export type Ranges = Readonly<Record<MetricKey, Range>>

/** Whether "Passing" has anything to fit to. */
export function canFit(model: Model): boolean {
  return model.selection.nPassing > 0
}

export function defaultValue(model: Model, metric: MetricKey): number | null {
  const plan = model.front.default_plan
  if (metric === 'peak_memory_bytes' || metric === 'transferred_bytes') return null
  return plan[metric] * model.scales[metric].factor
}

export function frontRanges(model: Model, fit: boolean, pad: number): Ranges {
  const narrow = fit && canFit(model)
  const of = (metric: MetricKey): Range => {
    const { factor } = model.scales[metric]
    const values: number[] = []
    model.plans.forEach((plan, i) => {
      if (!narrow || model.selection.passing[i] || i === model.a || i === model.b) values.push(plan[metric] * factor)
    })
    const reference = narrow ? null : defaultValue(model, metric)
    if (reference !== null) values.push(reference)
    return rangeOf(values, pad, 0)
  }
  return Object.fromEntries(METRICS.map((m) => [m, of(m)])) as Record<MetricKey, Range>
}

/** Whether the plan at `index` lies inside the ranges on the three objectives. */
export function inside(model: Model, ranges: Ranges, index: number): boolean {
  const plan = model.plans[index]
  if (!plan) return false
  return (['exec_time_ms', 'energy_j', 'load_balance'] as const).every((metric) => {
    const value = plan[metric] * model.scales[metric].factor
    const { lo, hi } = ranges[metric]
    return value >= lo && value <= hi
  })
}
