// Lays graphs out beside the page, so that a large one never holds it up; the page ends this worker to cancel.
import type { GraphData } from './data'
import type { LayoutAnswer, LayoutRequest } from './layout-messages'
import { layScene } from './scene'
import { scopeTree, type ScopeTree } from './scopes'

let held: { graph: GraphData; tree: ScopeTree } | null = null

function answer(request: LayoutRequest): LayoutAnswer | null {
  if ('graph' in request) {
    held = { graph: request.graph, tree: scopeTree(request.graph) }
    return null
  }
  if (!held) return { failed: 'no graph' }
  try {
    return { placed: layScene(held.graph, held.tree, new Set(request.folded)) }
  } catch (error) {
    return { failed: String(error) }
  }
}

self.addEventListener('message', (event: MessageEvent<LayoutRequest>) => {
  const said = answer(event.data)
  if (said) self.postMessage(said)
})
