// Groups operators by the scope in their names, at the deepest level that still gives a short list.
import type { OperatorRow } from '../../api/types'

export interface ScopeSum {
  /** Empty for operators outside any scope. */
  name: string
  flops: number
}

const MOST_GROUPS = 16
const DEEPEST = 6

function sumAt(operators: readonly OperatorRow[], depth: number): ScopeSum[] {
  const sums = new Map<string, number>()
  for (const { scope, flops } of operators) {
    const name = scope.split('/').slice(0, depth).join('/')
    sums.set(name, (sums.get(name) ?? 0) + flops)
  }
  return [...sums].map(([name, flops]) => ({ name, flops })).filter((group) => group.flops > 0)
}

/** Sums of FLOPs per scope in the order of the model; `rest` is how many small scopes were left out. */
export function groupByScope(operators: readonly OperatorRow[]): { groups: ScopeSum[]; rest: ScopeSum[] } {
  let groups = sumAt(operators, 1)
  for (let depth = 2; depth <= DEEPEST; depth += 1) {
    const deeper = sumAt(operators, depth)
    if (deeper.length > MOST_GROUPS || deeper.length === groups.length) break
    groups = deeper
  }
  if (groups.length <= MOST_GROUPS) return { groups, rest: [] }
  const largest = new Set([...groups].sort((a, b) => b.flops - a.flops).slice(0, MOST_GROUPS - 1))
  return { groups: groups.filter((group) => largest.has(group)), rest: groups.filter((group) => !largest.has(group)) }
}
