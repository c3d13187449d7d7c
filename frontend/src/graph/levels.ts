// The level of every node: the longest path that leads to it, so that every edge goes to a later level.
import { adjacency } from './data'

export interface Edges {
  readonly count: number
  readonly source: Int32Array
  readonly target: Int32Array
}

/** Nodes without predecessors stand right before their first reader. Throws where the edges close a cycle. */
export function levelsOf({ count, source, target }: Edges): Int32Array {
  const out = adjacency(count, source)
  const waiting = new Int32Array(count)
  for (const node of target) waiting[node] = (waiting[node] ?? 0) + 1
  const begins = waiting.map((n) => (n === 0 ? 1 : 0))
  const level = new Int32Array(count)
  const queue = new Int32Array(count)
  let filled = 0
  begins.forEach((is, node) => {
    if (is) queue[filled++] = node
  })
  for (let at = 0; at < filled; at += 1) {
    const node = queue[at] ?? 0
    for (let k = out.start[node] ?? 0; k < (out.start[node + 1] ?? 0); k += 1) {
      const reader = target[out.list[k] ?? 0] ?? 0
      level[reader] = Math.max(level[reader] ?? 0, (level[node] ?? 0) + 1)
      waiting[reader] = (waiting[reader] ?? 0) - 1
      if (waiting[reader] === 0) queue[filled++] = reader
    }
  }
  if (filled < count) throw new Error('The graph has a cycle.')
  begins.forEach((is, node) => {
    const first = out.start[node] ?? 0
    const last = out.start[node + 1] ?? 0
    if (!is || first === last) return
    let least = Infinity
    for (let k = first; k < last; k += 1) least = Math.min(least, level[target[out.list[k] ?? 0] ?? 0] ?? 0)
    level[node] = least - 1
  })
  return level
}
