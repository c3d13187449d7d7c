/** Groups of operators that can be selected at once: by type, by scope, by the device that the plan gives them. */
import type { PlanOperator } from '../types'

export interface Group {
  readonly name: string
  readonly indices: readonly number[]
}

function grouped(operators: readonly PlanOperator[], keys: (operator: PlanOperator) => readonly string[]): Group[] {
  const groups = new Map<string, number[]>()
  for (const operator of operators)
    for (const key of keys(operator)) {
      const group = groups.get(key)
      if (group) group.push(operator.index)
      else groups.set(key, [operator.index])
    }
  return [...groups].map(([name, indices]) => ({ name, indices }))
}

/** Most operators first. */
export function byType(operators: readonly PlanOperator[]): Group[] {
  return grouped(operators, (op) => [op.op_type]).sort((a, b) => b.indices.length - a.indices.length || a.name.localeCompare(b.name))
}

/** The first two levels of scopes that hold several operators but not all of them, in the order of the graph. */
export function byScope(operators: readonly PlanOperator[]): Group[] {
  const levels = (scope: string) => {
    const parts = scope.split('/').filter(Boolean).slice(0, 2)
    return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
  }
  return grouped(operators, (op) => levels(op.scope)).filter(
    ({ indices }) => indices.length > 1 && indices.length < operators.length,
  )
}

/** Operators that are known not to run on a device; only those of plans that came with their alternatives. */
export function notOn(operators: readonly PlanOperator[], indices: Iterable<number>, device: number): number[] {
  const at = new Map(operators.map((op) => [op.index, op]))
  return [...indices].filter((index) =>
    at.get(index)?.alternatives?.some((other) => other.device === device && other.code === 'not_supported'),
  )
}
