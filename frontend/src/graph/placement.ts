// How a placement shows on the nodes: the device of most operators, a second one if there is, and the edges cut.
import type { GraphView } from './view'

export interface GraphPlacement {
  /** Position in `devices` of every operator; -1 where it has none. */
  readonly device: ArrayLike<number>
  readonly devices: readonly { readonly tag: string; readonly slot: number }[]
}

export interface PlacedNodes {
  readonly device: Int32Array
  /** The device of the second most operators of a folded scope, or -1. */
  readonly second: Int32Array
  /** Whether an edge joins nodes that hold operators on different devices. */
  readonly cut: Uint8Array
}

export function placedNodes(
  { device, devices }: GraphPlacement,
  view: GraphView,
  graph: { readonly source: Int32Array; readonly target: Int32Array },
): PlacedNodes {
  const counts = new Int32Array(view.count * devices.length)
  view.nodeOf.forEach((node, op) => {
    const on = device[op] ?? -1
    const place = node * devices.length + on
    if (on >= 0) counts[place] = (counts[place] ?? 0) + 1
  })
  const first = new Int32Array(view.count).fill(-1)
  const second = new Int32Array(view.count).fill(-1)
  for (let node = 0; node < view.count; node += 1) {
    const ranked = devices.map((_, at) => at).filter((at) => (counts[node * devices.length + at] ?? 0) > 0)
    ranked.sort((a, b) => (counts[node * devices.length + b] ?? 0) - (counts[node * devices.length + a] ?? 0) || a - b)
    first[node] = ranked[0] ?? -1
    second[node] = ranked[1] ?? -1
  }
  const cutPairs = new Set<number>()
  graph.source.forEach((from, edge) => {
    const to = graph.target[edge] ?? 0
    const [a, b] = [device[from] ?? -1, device[to] ?? -1]
    if (a >= 0 && b >= 0 && a !== b) cutPairs.add((view.nodeOf[from] ?? 0) * view.count + (view.nodeOf[to] ?? 0))
  })
  const cut = Uint8Array.from(view.source, (from, edge) => (cutPairs.has(from * view.count + (view.target[edge] ?? 0)) ? 1 : 0))
  return { device: first, second, cut }
}
