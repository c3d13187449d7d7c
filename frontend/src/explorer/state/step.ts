/** Moves between plans: to the previous or next one by score, and swapping A with B. */
import { pick } from '../logic/model'
import type { Explorer } from './context'

export function stepPlan({ model, setA }: Pick<Explorer, 'model' | 'setA'>, by: number): void {
  const { ranked } = model.selection
  if (!ranked.length) return
  const from = model.rank < 0 ? (by > 0 ? -1 : 0) : model.rank
  const next = ranked[Math.min(ranked.length - 1, Math.max(0, from + by))]
  if (next !== undefined && next !== model.a) setA(next)
}

export function swapPlans({ model, update }: Pick<Explorer, 'model' | 'update'>): void {
  const a = model.plans[model.a]
  const b = model.plans[model.b]
  if (a && b) update({ a: pick(b), b: pick(a) })
}
