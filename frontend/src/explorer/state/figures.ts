/** The three figures that stand for a plan, as texts. */
import { multipleAt } from '../logic/measures'
import { planValue } from '../logic/model'
import { figure, multiple, type Scale, scaleOf } from '../logic/scales'
import type { MetricKey } from '../types'
import { useExplorer } from './context'
import { useNames } from './names'

export interface Figure {
  readonly key: MetricKey
  readonly name: string
  readonly value: string
  readonly unit: string
  readonly scale: Scale
  /** "× 0.70" of the default plan, or "–". */
  readonly multiple: string
}

/** Of the plan at `index`. */
export function useFigures(index: number): Figure[] {
  const names = useNames()
  const { model, lang } = useExplorer()
  return model.figures.map((measure) => {
    const scale = scaleOf(model.scales, measure.key)
    return {
      key: measure.key,
      name: names.name(measure.key),
      value: figure(planValue(model, index, measure.key), scale, lang),
      unit: scale.unit,
      scale,
      multiple: multiple(multipleAt(model.table, measure, index), lang),
    }
  })
}
