// Operators by what a person types: part of a name, a type or a scope, in any case.
import type { GraphData } from './data'

/** Positions of the operators found, in their order; none for an empty text. */
export function findOperators(graph: GraphData, text: string): Int32Array {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return new Int32Array(0)
  const found: number[] = []
  for (let op = 0; op < graph.count; op += 1) {
    const has = (part: string | undefined) => part?.toLowerCase().includes(wanted)
    if (has(graph.names[op]) || has(graph.types[op]) || has(graph.scopes[op])) found.push(op)
  }
  return Int32Array.from(found)
}
