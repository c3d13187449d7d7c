// What is seen of a graph once scopes are folded: operators and folded scopes, with the edges between them merged.
import { partsWithoutCycles } from './acyclic'
import { type GraphData } from './data'
import { outermostFolded, type ScopeTree } from './scopes'

export interface GraphView {
  readonly count: number
  /** The operator that a node is, or the first in a folded scope. */
  readonly first: Int32Array
  /** How many operators a node stands for. */
  readonly members: Int32Array
  /** The folded scope that a node is, or -1. */
  readonly folded: Int32Array
  /** A scope that other nodes cut in two is several nodes: which of how many, from 1. */
  readonly part: Int32Array
  readonly parts: Int32Array
  readonly flops: Float64Array
  readonly bytes: Float64Array
  /** The node that shows an operator. */
  readonly nodeOf: Int32Array
  readonly source: Int32Array
  readonly target: Int32Array
  /** Sum over the tensors that an edge stands for. */
  readonly size: Float64Array
  readonly tensors: Int32Array
}

export function foldedView(graph: GraphData, tree: ScopeTree, folded: ReadonlySet<number>): GraphView {
  const outer = outermostFolded(tree, folded)
  const groups = Int32Array.from(tree.of, (scope) => outer[scope] ?? -1)
  const nodeOf = partsWithoutCycles(graph, groups)
  const count = nodeOf.reduce((most, node) => Math.max(most, node + 1), 0)
  const first = new Int32Array(count).fill(-1)
  const members = new Int32Array(count)
  const flops = new Float64Array(count)
  const bytes = new Float64Array(count)
  const foldedOf = new Int32Array(count).fill(-1)
  nodeOf.forEach((node, op) => {
    if (first[node] === -1) first[node] = op
    members[node] = (members[node] ?? 0) + 1
    flops[node] = (flops[node] ?? 0) + (graph.flops[op] ?? 0)
    bytes[node] = (bytes[node] ?? 0) + (graph.bytes[op] ?? 0)
    foldedOf[node] = groups[op] ?? -1
  })
  const parts = new Int32Array(count).fill(1)
  const part = new Int32Array(count).fill(1)
  const counted = new Map<number, number>()
  foldedOf.forEach((scope, node) => {
    if (scope < 0) return
    const number = (counted.get(scope) ?? 0) + 1
    counted.set(scope, number)
    part[node] = number
  })
  foldedOf.forEach((scope, node) => {
    if (scope >= 0) parts[node] = counted.get(scope) ?? 1
  })
  return { count, first, members, folded: foldedOf, part, parts, flops, bytes, nodeOf, ...mergedEdges(graph, nodeOf, count) }
}

function mergedEdges(graph: GraphData, nodeOf: Int32Array, count: number) {
  const places = new Map<number, number>()
  const source: number[] = []
  const target: number[] = []
  const size: number[] = []
  const tensors: number[] = []
  graph.source.forEach((from, edge) => {
    const a = nodeOf[from] ?? 0
    const b = nodeOf[graph.target[edge] ?? 0] ?? 0
    if (a === b) return
    const key = a * count + b
    let place = places.get(key)
    if (place === undefined) {
      place = source.length
      places.set(key, place)
      source.push(a)
      target.push(b)
      size.push(0)
      tensors.push(0)
    }
    size[place] = (size[place] ?? 0) + (graph.size[edge] ?? 0)
    tensors[place] = (tensors[place] ?? 0) + 1
  })
  return {
    source: Int32Array.from(source),
    target: Int32Array.from(target),
    size: Float64Array.from(size),
    tensors: Int32Array.from(tensors),
  }
}
