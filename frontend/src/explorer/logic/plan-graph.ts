/** The operators of a plan as a graph to draw. It depends on the search alone, so that another plan moves nothing. */
import type { GraphData } from '../../graph/data'
import type { PlanDetail } from '../types'

export function planGraph({ operators, edges }: Pick<PlanDetail, 'operators' | 'edges'>, key: string): GraphData {
  const ordered = [...operators].sort((a, b) => a.index - b.index)
  return {
    hash: key,
    count: ordered.length,
    names: ordered.map((op) => op.name),
    types: ordered.map((op) => op.op_type),
    classes: ordered.map((op) => op.op_class),
    scopes: ordered.map((op) => op.scope),
    flops: Float64Array.from(ordered, (op) => op.flops),
    bytes: Float64Array.from(ordered, (op) => op.bytes_moved),
    source: Int32Array.from(edges, (edge) => edge.source),
    target: Int32Array.from(edges, (edge) => edge.target),
    size: Float64Array.from(edges, (edge) => edge.size_bytes),
  }
}

/** Device of every operator by its index. */
export function devicesByIndex({ operators }: Pick<PlanDetail, 'operators'>): Int32Array {
  const device = new Int32Array(operators.length).fill(-1)
  for (const op of operators) device[op.index] = op.device
  return device
}

/** What tells two graphs of one search apart: a plan of operators that are joined elsewhere has others. */
export function graphKey(searchId: string, { operators, edges }: Pick<PlanDetail, 'operators' | 'edges'>): string {
  return `${searchId} ${operators.length} ${edges.length}`
}
