/** Plans that every view of the front marks beside A, B and the default plan: the knee, and the weighted pick where A is another. */
import { kneeOf, type Model } from '../logic/model'

/** Positions among the plans; -1 where there is none. */
export interface Marks {
  readonly knee: number
  readonly pick: number
}

const made = new WeakMap<Model, Marks>()

export function marksOf(model: Model): Marks {
  const known = made.get(model)
  if (known) return known
  const { chosen } = model.selection
  const marks = { knee: model.plans.length > 1 ? kneeOf(model) : -1, pick: chosen === model.a ? -1 : chosen }
  made.set(model, marks)
  return marks
}
