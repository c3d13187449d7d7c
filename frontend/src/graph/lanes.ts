// Lanes: the places in between that an edge over several levels runs through, shared by the edges of one source.
import { adjacency } from './data'
import type { Edges } from './levels'

export interface Lanes {
  /** Number of the lane of a source at the level after its own, or -1 where its edges have none; then one per level. */
  readonly first: Int32Array
  /** Level of every lane. */
  readonly level: Int32Array
  /** The source of every lane. */
  readonly of: Int32Array
  /** The edge of every source that runs through all its lanes, or -1. */
  readonly carrier: Int32Array
}

/** Lanes per node, at most: graphs with many edges over hundreds of levels get them for the shorter edges only. */
const MOST_PER_NODE = 6

export function lanesOf(edges: Edges, level: Int32Array): Lanes {
  const { count, source, target } = edges
  const out = adjacency(count, source)
  const spans = new Int32Array(count)
  const carrier = new Int32Array(count).fill(-1)
  for (let node = 0; node < count; node += 1) {
    for (let k = out.start[node] ?? 0; k < (out.start[node + 1] ?? 0); k += 1) {
      const edge = out.list[k] ?? 0
      const span = (level[target[edge] ?? 0] ?? 0) - (level[node] ?? 0) - 1
      if (span <= (spans[node] ?? 0)) continue
      spans[node] = span
      carrier[node] = edge
    }
  }
  const long = Array.from(spans.keys()).filter((node) => (spans[node] ?? 0) > 0)
  long.sort((a, b) => (spans[a] ?? 0) - (spans[b] ?? 0) || a - b)
  const first = new Int32Array(count).fill(-1)
  const levels: number[] = []
  const of: number[] = []
  for (const node of long) {
    if (levels.length + (spans[node] ?? 0) > MOST_PER_NODE * count) break
    first[node] = levels.length
    for (let step = 1; step <= (spans[node] ?? 0); step += 1) {
      levels.push((level[node] ?? 0) + step)
      of.push(node)
    }
  }
  return { first, level: Int32Array.from(levels), of: Int32Array.from(of), carrier }
}
