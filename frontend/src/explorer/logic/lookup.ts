/** Operators of a plan by their index, its critical path and its order of time: worked out once a plan. */
import type { PlanDetail, PlanOperator } from '../types'

/** What `make` makes of a plan, kept as long as the plan is. */
function perPlan<T>(make: (detail: PlanDetail) => T): (detail: PlanDetail) => T {
  const made = new WeakMap<PlanDetail, { readonly of: T }>()
  return (detail) => {
    let known = made.get(detail)
    if (!known) {
      known = { of: make(detail) }
      made.set(detail, known)
    }
    return known.of
  }
}

const byIndex = perPlan((detail) => new Map(detail.operators.map((op) => [op.index, op])))

export function operatorOf(detail: PlanDetail, index: number): PlanOperator | undefined {
  return byIndex(detail).get(index)
}

export const criticalOf: (detail: PlanDetail) => ReadonlySet<number> = perPlan((detail) => new Set(detail.critical_path))

/** By start, then in the plan's order. */
export const byStart: (detail: PlanDetail) => readonly PlanOperator[] = perPlan((detail) =>
  [...detail.operators].sort((a, b) => a.start_ms - b.start_ms || a.order - b.order),
)

const places = perPlan((detail) => new Map(byStart(detail).map((op, i) => [op.index, i + 1])))

/** The operator's place in that order, from 1; 0 for one that the plan does not have. */
export function placeOf(detail: PlanDetail, index: number): number {
  return places(detail).get(index) ?? 0
}

/** The longest operator of the critical path. */
export const longestOf: (detail: PlanDetail) => PlanOperator | undefined = perPlan((detail) => {
  const critical = criticalOf(detail)
  return detail.operators.reduce<PlanOperator | undefined>(
    (longest, op) => (critical.has(op.index) && (!longest || op.time_ms > longest.time_ms) ? op : longest),
    undefined,
  )
})
