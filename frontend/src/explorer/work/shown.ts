/** The operator in the inspector: the chosen one, otherwise the longest on the critical path. */
import type { PlanDetail, PlanOperator } from '../types'

export function shownOperator(detail: PlanDetail, chosen: number | null): PlanOperator | undefined {
  const held = detail.operators.find((op) => op.index === chosen)
  if (held) return held
  const critical = new Set(detail.critical_path)
  return detail.operators.reduce<PlanOperator | undefined>(
    (longest, op) => (critical.has(op.index) && (!longest || op.time_ms > longest.time_ms) ? op : longest),
    undefined,
  )
}
