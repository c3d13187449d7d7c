// Open scopes as bands behind the nodes: those whose box holds no node of another scope, the outermost of them.
import type { GraphLayout } from './layout'
import type { ScopeTree } from './scopes'
import type { GraphView } from './view'

export interface Band {
  readonly scope: number
  /** Last part of its path. */
  readonly name: string
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const PAD = 10

export function bandsOf(tree: ScopeTree, view: GraphView, layout: GraphLayout): Band[] {
  const children: number[][] = tree.scopes.map(() => [])
  for (const scope of tree.scopes) if (scope.parent >= 0) children[scope.parent]?.push(scope.id)
  const inside: number[][] = tree.scopes.map(() => [])
  for (let node = 0; node < view.count; node += 1) {
    const folded = view.folded[node] ?? -1
    const innermost = folded >= 0 ? (tree.scopes[folded]?.parent ?? 0) : (tree.of[view.first[node] ?? 0] ?? 0)
    for (let id = innermost; id >= 0; id = tree.scopes[id]?.parent ?? -1) inside[id]?.push(node)
  }
  const bands: Band[] = []
  const most = Math.max(2, view.count / 2)
  const descend = (id: number): void => {
    const nodes = inside[id] ?? []
    const scope = tree.scopes[id]
    if (!scope || nodes.length < 2) return
    const box = id > 0 && nodes.length <= most ? cleanBox(layout, nodes) : null
    if (box) bands.push({ scope: id, name: scope.path.slice(scope.path.lastIndexOf('/') + 1), ...box })
    else for (const child of children[id] ?? []) descend(child)
  }
  descend(0)
  return bands
}

function cleanBox(layout: GraphLayout, nodes: readonly number[]) {
  const { sizes, level, y } = layout
  let [from, to, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const node of nodes) {
    from = Math.min(from, level[node] ?? 0)
    to = Math.max(to, level[node] ?? 0)
    top = Math.min(top, y[node] ?? 0)
    bottom = Math.max(bottom, y[node] ?? 0)
  }
  let within = 0
  for (let at = from; at <= to; at += 1) {
    for (const node of layout.levels[at] ?? []) if ((y[node] ?? 0) >= top && (y[node] ?? 0) <= bottom) within += 1
    if (within > nodes.length) return null
  }
  const step = sizes.width + sizes.gapX
  return {
    left: from * step - PAD,
    right: to * step + sizes.width + PAD,
    top: top - sizes.height / 2 - PAD,
    bottom: bottom + sizes.height / 2 + PAD,
  }
}
