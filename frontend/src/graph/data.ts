// A graph of operators as typed columns: what layout, search and drawing read, from what the server sends.
import type { components } from '../api/schema'

export type GraphColumns = components['schemas']['GraphColumns']

export interface GraphData {
  readonly hash: string
  readonly count: number
  readonly names: readonly string[]
  readonly types: readonly string[]
  readonly classes: readonly string[]
  /** Paths with `/` between their parts; empty for operators outside any scope. */
  readonly scopes: readonly string[]
  readonly flops: Float64Array
  readonly bytes: Float64Array
  /** One edge per tensor and reader: a source lies before its target. */
  readonly source: Int32Array
  readonly target: Int32Array
  readonly size: Float64Array
}

export function graphData(columns: GraphColumns): GraphData {
  const { operators, edges } = columns
  const spelled = (places: readonly number[], list: readonly string[]) => places.map((place) => list[place] ?? '')
  return {
    hash: columns.graph_hash,
    count: operators.name.length,
    names: operators.name,
    types: spelled(operators.op_type, columns.op_types),
    classes: spelled(operators.op_class, columns.op_classes),
    scopes: spelled(operators.scope, columns.scopes),
    flops: Float64Array.from(operators.flops),
    bytes: Float64Array.from(operators.bytes_moved),
    source: Int32Array.from(edges.source),
    target: Int32Array.from(edges.target),
    size: Float64Array.from(edges.size_bytes),
  }
}

/** Lists of neighbours in one array: those of `i` are `list[start[i]] ... list[start[i + 1] - 1]`. */
export interface Adjacency {
  readonly start: Int32Array
  /** Positions of edges. */
  readonly list: Int32Array
}

/** Groups edges by `ends`, their sources or their targets, each group in the order of the edges. */
export function adjacency(count: number, ends: Int32Array): Adjacency {
  const start = new Int32Array(count + 1)
  for (const end of ends) start[end + 1] = (start[end + 1] ?? 0) + 1
  for (let i = 0; i < count; i += 1) start[i + 1] = (start[i + 1] ?? 0) + (start[i] ?? 0)
  const next = start.slice()
  const list = new Int32Array(ends.length)
  ends.forEach((end, edge) => {
    const place = next[end] ?? 0
    list[place] = edge
    next[end] = place + 1
  })
  return { start, list }
}

/** The last two parts of a scoped name. */
export function shortName(name: string): string {
  const parts = name.split('/').filter(Boolean)
  return parts.slice(-2).join('/') || name
}
