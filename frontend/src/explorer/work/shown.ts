/** The operator in the inspector: the chosen one, otherwise the longest on the critical path. */
import type { PlanDetail, PlanOperator } from '../types'
import { longestOf, operatorOf } from '../logic/lookup'

export function shownOperator(detail: PlanDetail, chosen: number | null): PlanOperator | undefined {
  return (chosen === null ? undefined : operatorOf(detail, chosen)) ?? longestOf(detail)
}
