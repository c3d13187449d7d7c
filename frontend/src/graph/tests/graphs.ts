// Small graphs that can be worked by hand, and large ones made from a seed.
import type { GraphData } from '../data'

/** Operators by name; the scope is all of a name before its last part. Edges carry 10 bytes unless said. */
export function graphOf(names: readonly string[], edges: readonly [from: number, to: number, bytes?: number][]): GraphData {
  return {
    hash: 'h',
    count: names.length,
    names,
    types: names.map((_, op) => (op % 2 ? 'Relu' : 'Conv')),
    classes: names.map((_, op) => (op % 2 ? 'elementwise' : 'conv')),
    scopes: names.map((name) => name.slice(0, Math.max(0, name.lastIndexOf('/')))),
    flops: Float64Array.from(names, (_, op) => op + 1),
    bytes: Float64Array.from(names, (_, op) => 100 * (op + 1)),
    source: Int32Array.from(edges, ([from]) => from),
    target: Int32Array.from(edges, ([, to]) => to),
    size: Float64Array.from(edges, ([, , bytes]) => bytes ?? 10),
  }
}

/** A generator of numbers in 0..1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Any acyclic graph: scopes are drawn freely, so that many of them cannot be folded whole. */
export function randomGraph(count: number, seed: number): GraphData {
  const random = randomFrom(seed)
  const names = Array.from({ length: count }, (_, op) => {
    const depth = Math.floor(random() * 4)
    return [...Array.from({ length: depth }, () => `s${Math.floor(random() * 3)}`), `op${op}`].join('/')
  })
  const edges: [number, number, number][] = []
  for (let op = 1; op < count; op += 1) {
    const reads = Math.floor(random() * 3)
    for (let k = 0; k < reads; k += 1) {
      const back = random() < 0.8 ? 1 + Math.floor(random() * Math.min(op, 5)) : 1 + Math.floor(random() * op)
      edges.push([op - back, op, 1 + Math.floor(random() * 1000)])
    }
  }
  return graphOf(names, edges)
}
