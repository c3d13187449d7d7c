/** A rail from the least to the largest value of the front, with A, B and the default plan's tick. */
import { useT } from '../../i18n'
import { columnOf, measureOf } from '../logic/measures'
import { scaleOf, withUnit } from '../logic/scales'
import { rangeOf } from '../logic/ticks'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'

export function Rail({ metric }: { metric: MetricKey }) {
  const t = useT()
  const names = useNames()
  const { model, lang } = useExplorer()
  const { table, a, b } = model
  const values = columnOf(table, metric)
  const reference = measureOf(table, metric)?.reference ?? undefined
  const range = rangeOf(reference === undefined ? values : [...values, reference])
  const x = (value: number) => 4 + ((value - range.lo) / (range.hi - range.lo || 1)) * 72
  const valueA = values[a]
  const valueB = values[b]
  const text = (value: number | undefined) => (value === undefined ? '–' : withUnit(value, scaleOf(model.scales, metric), lang))
  const label = t('explorer.plan.rail', {
    metric: names.name(metric),
    a: text(valueA),
    b: text(valueB),
    reference: text(reference),
    low: text(range.lo),
    high: text(range.hi),
  })
  return (
    <svg className="xp-rail" viewBox="0 0 80 14" preserveAspectRatio="xMinYMid meet" role="img" aria-label={label}>
      <path className="xp-rail-line" d="M4 7H76" />
      {reference !== undefined && <path className="xp-rail-default" d={`M${x(reference)} 2v10`} />}
      {valueB !== undefined && <circle className="xp-rail-b" cx={x(valueB)} cy={7} r={3.5} />}
      {valueA !== undefined && <circle className="xp-rail-a" cx={x(valueA)} cy={7} r={4} />}
    </svg>
  )
}
