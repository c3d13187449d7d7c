// Groups operators by the scope in their names, at the deepest level that still gives a short list.

/** What of an operator can be summed up. */
export type Measure = 'count' | 'flops' | 'bytes'

/** The columns of a graph that sums need. */
export interface Measured {
  readonly count: number
  readonly types: readonly string[]
  readonly scopes: readonly string[]
  readonly flops: ArrayLike<number>
  readonly bytes: ArrayLike<number>
}

export interface Sum {
  /** Empty for operators outside any scope. */
  name: string
  value: number
}

const MOST_GROUPS = 16
const DEEPEST = 6

function amount(graph: Measured, measure: Measure, op: number): number {
  return measure === 'count' ? 1 : (graph[measure][op] ?? 0)
}

function sums(graph: Measured, measure: Measure, nameOf: (op: number) => string): Sum[] {
  const found = new Map<string, number>()
  for (let op = 0; op < graph.count; op += 1) {
    const name = nameOf(op)
    found.set(name, (found.get(name) ?? 0) + amount(graph, measure, op))
  }
  return [...found].map(([name, value]) => ({ name, value })).filter((sum) => sum.value > 0)
}

/** Sums per type, the largest first. */
export function sumByType(graph: Measured, measure: Measure): Sum[] {
  return sums(graph, measure, (op) => graph.types[op] ?? '').sort((a, b) => b.value - a.value || a.name.localeCompare(b.name))
}

/** Sums per scope in the order of the model; `rest` are the small scopes that were left out. */
export function sumByScope(graph: Measured, measure: Measure): { groups: Sum[]; rest: Sum[] } {
  const at = (depth: number) => sums(graph, measure, (op) => (graph.scopes[op] ?? '').split('/').slice(0, depth).join('/'))
  let groups = at(1)
  for (let depth = 2; depth <= DEEPEST; depth += 1) {
    const deeper = at(depth)
    if (deeper.length > MOST_GROUPS || deeper.length === groups.length) break
    groups = deeper
  }
  if (groups.length <= MOST_GROUPS) return { groups, rest: [] }
  const largest = new Set([...groups].sort((a, b) => b.value - a.value).slice(0, MOST_GROUPS - 1))
  return { groups: groups.filter((group) => largest.has(group)), rest: groups.filter((group) => !largest.has(group)) }
}
