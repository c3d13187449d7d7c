// How a placement shows on the nodes: the device of most operators, a second one if there is, and the edges cut.
import type { GraphView } from './view'

export interface GraphPlacement {
  /** Position in `devices` of every operator; -1 where it has none. */
  readonly device: ArrayLike<number>
  readonly devices: readonly { readonly tag: string; readonly slot: number }[]
  /** Operators on the critical path. */
  readonly critical?: ReadonlySet<number>
  /** Position in `devices` in another plan, -1 where it has none: only what differs from it stands out. */
  readonly before?: ArrayLike<number>
}

export interface PlacedNodes {
  readonly device: Int32Array
  /** The device of the second most operators of a folded scope, or -1. */
  readonly second: Int32Array
  /** Whether an edge joins nodes that hold operators on different devices. */
  readonly cut: Uint8Array
  /** How many operators of a node are on the critical path. */
  readonly critical: Int32Array
  /** How many operators of a node have another device in the other plan. */
  readonly moved: Int32Array
}

export function placedNodes(
  { device, devices, critical, before }: GraphPlacement,
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
  const onPath = new Int32Array(view.count)
  critical?.forEach((op) => {
    const node = view.nodeOf[op]
    if (node !== undefined) onPath[node] = (onPath[node] ?? 0) + 1
  })
  const moved = new Int32Array(view.count)
  if (before)
    view.nodeOf.forEach((node, op) => {
      const was = before[op] ?? -1
      if (was >= 0 && was !== (device[op] ?? -1)) moved[node] = (moved[node] ?? 0) + 1
    })
  return { device: first, second, cut, critical: onPath, moved }
}

/** How many operators of each scope in `scopes` (inner ones counted) sit on each device: one array a scope. */
export function scopeShares(
  { device, devices }: GraphPlacement,
  tree: { readonly of: ArrayLike<number>; readonly scopes: readonly { readonly parent: number }[] },
  scopes: readonly number[],
): ReadonlyMap<number, Int32Array> {
  const shares = new Map(scopes.map((scope) => [scope, new Int32Array(devices.length)]))
  for (let op = 0; op < tree.of.length; op += 1) {
    const on = device[op] ?? -1
    if (on < 0) continue
    for (let id = tree.of[op] ?? -1; id >= 0; id = tree.scopes[id]?.parent ?? -1) {
      const share = shares.get(id)
      if (share) share[on] = (share[on] ?? 0) + 1
    }
  }
  return shares
}
