/** How sure a plan is: a range of its time from the intervals of its operators' costs, and where the costs are from. */
import type { PlanDetail, PlanOperator } from '../types'

export interface Range {
  readonly low: number
  readonly high: number
}

/**
 * The plan's time with the intervals of the operators on its critical path. Each interval holds 90 % of operators like
 * that one; their errors are taken as independent, so they add up as the root of the sum of squares. Transfers and the
 * path itself are taken as they are.
 */
export function planRange(detail: PlanDetail, timeMs: number): Range {
  const critical = new Set(detail.critical_path)
  let below = 0
  let above = 0
  for (const op of detail.operators) {
    if (!critical.has(op.index)) continue
    below += Math.max(0, op.time_ms - op.time_low_ms) ** 2
    above += Math.max(0, op.time_high_ms - op.time_ms) ** 2
  }
  return { low: Math.max(0, timeMs - Math.sqrt(below)), high: timeMs + Math.sqrt(above) }
}

/** Shares of the plan's busy time by the source of its costs, the greatest first. */
export function timeBySource(operators: readonly PlanOperator[]): [source: string, share: number][] {
  return shares(operators, (op) => op.cost_source, (op) => op.time_ms)
}

/** The same of its energy. */
export function energyBySource(operators: readonly PlanOperator[]): [source: string, share: number][] {
  return shares(operators, (op) => op.energy_source, (op) => op.energy_j)
}

function shares(operators: readonly PlanOperator[], source: (op: PlanOperator) => string, amount: (op: PlanOperator) => number): [string, number][] {
  const found = new Map<string, number>()
  let sum = 0
  for (const op of operators) {
    if (op.is_view) continue
    sum += amount(op)
    found.set(source(op), (found.get(source(op)) ?? 0) + amount(op))
  }
  return [...found].map(([name, part]): [string, number] => [name, sum > 0 ? part / sum : 0]).filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1])
}
