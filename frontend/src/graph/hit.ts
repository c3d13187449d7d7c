// What lies under a point of the drawing, and which node an arrow key leads to.
import type { GraphLayout } from './layout'
import type { Edges } from './levels'

/** The node at a point of the drawing, with `grace` units around it; -1 for none. */
export function nodeAt(layout: GraphLayout, x: number, y: number, grace = 0): number {
  const { sizes, levels } = layout
  const step = sizes.width + sizes.gapX
  const at = Math.floor((x + Math.min(grace, sizes.gapX / 2)) / step)
  const row = levels[at]
  if (!row || x > at * step + sizes.width + Math.min(grace, sizes.gapX / 2)) return -1
  let best = -1
  let least = sizes.height / 2 + Math.min(grace, sizes.gapY / 2)
  for (const node of row) {
    const away = Math.abs((layout.y[node] ?? 0) - y)
    if (away <= least) {
      best = node
      least = away
    }
  }
  return best
}

export type Move = 'left' | 'right' | 'up' | 'down'

/** Along an edge to the neighbour nearest in height, or up and down in the level; -1 where there is none. */
export function nodeBeside(layout: GraphLayout, edges: Edges, node: number, move: Move): number {
  const nearest = (list: readonly number[]) =>
    list.reduce((best, other) => (best < 0 || away(other) < away(best) ? other : best), -1)
  const away = (other: number) =>
    Math.abs((layout.y[other] ?? 0) - (layout.y[node] ?? 0)) + Math.abs((layout.x[other] ?? 0) - (layout.x[node] ?? 0))
  if (move === 'up' || move === 'down') {
    const row = layout.levels[layout.level[node] ?? 0]
    const at = row?.indexOf(node) ?? -1
    return row?.[at + (move === 'down' ? 1 : -1)] ?? -1
  }
  const [here, there] = move === 'left' ? [edges.target, edges.source] : [edges.source, edges.target]
  const found: number[] = []
  here.forEach((end, edge) => {
    if (end === node) found.push(there[edge] ?? -1)
  })
  return nearest(found)
}
