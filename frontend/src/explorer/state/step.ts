/** Walk to the previous or next plan by score. */
import type { Explorer } from './context'

export function stepPlan({ model, setA }: Pick<Explorer, 'model' | 'setA'>, by: number): void {
  const { ranked } = model.selection
  if (!ranked.length) return
  const from = model.rank < 0 ? (by > 0 ? -1 : 0) : model.rank
  const next = ranked[Math.min(ranked.length - 1, Math.max(0, from + by))]
  if (next !== undefined && next !== model.a) setA(next)
}
