// Everything that is drawn of a graph, made from it and from what is folded, placed and searched for.
import { bandsOf } from './bands'
import { type GraphData } from './data'
import type { GraphScene } from './draw'
import { layoutGraph, type Sizes } from './layout'
import { type GraphPlacement, placedNodes, scopeShares } from './placement'
import type { ScopeTree } from './scopes'
import { foldedView } from './view'

export const SIZES: Sizes = { width: 128, height: 36, gapX: 36, gapY: 14, lane: 10 }

export type Laid = Omit<GraphScene, 'placement' | 'found'>
export type Placed = Omit<Laid, 'graph' | 'tree'>

/** The part that takes time: view, layout and bands. */
export function layScene(graph: GraphData, tree: ScopeTree, folded: ReadonlySet<number>, sizes = SIZES): Placed {
  const begin = performance.now()
  const view = foldedView(graph, tree, folded)
  const layout = layoutGraph(view, sizes)
  const bands = bandsOf(tree, view, layout)
  const mostFlops = view.flops.reduce((a, b) => Math.max(a, b), 1)
  return { view, layout, bands, mostFlops, layoutMs: performance.now() - begin }
}

/** What changes while nothing moves. */
export function dressScene(laid: Laid, placement: GraphPlacement | null, found: Int32Array | null): GraphScene {
  const holds = found && new Uint8Array(laid.view.count)
  found?.forEach((op) => {
    if (holds) holds[laid.view.nodeOf[op] ?? 0] = 1
  })
  return {
    ...laid,
    placement: placement && {
      of: placement,
      nodes: placedNodes(placement, laid.view, laid.graph),
      shares: scopeShares(placement, laid.tree, laid.bands.map((band) => band.scope)),
    },
    found: holds,
  }
}
