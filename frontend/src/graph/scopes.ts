// The scopes of a graph as a tree, and which of them to fold so that the graph can be taken in at a glance.
import type { GraphData } from './data'

export interface Scope {
  readonly id: number
  /** -1 for the root. */
  readonly parent: number
  readonly depth: number
  /** The whole path; empty for the root. */
  readonly path: string
  /** Operators in it and in the scopes inside. */
  readonly count: number
}

export interface ScopeTree {
  /** Parents before their children; the first is the root. */
  readonly scopes: readonly Scope[]
  /** The innermost scope of every operator. */
  readonly of: Int32Array
  readonly deepest: number
}

/** Fewer nodes than this can be taken in without folding. */
export const MOST_AT_FIRST = 240

export function scopeTree(graph: GraphData): ScopeTree {
  const scopes: { id: number; parent: number; depth: number; path: string; count: number }[] = [
    { id: 0, parent: -1, depth: 0, path: '', count: 0 },
  ]
  const known = new Map<string, number>([['', 0]])
  const find = (path: string): number => {
    const found = known.get(path)
    if (found !== undefined) return found
    const cut = path.lastIndexOf('/')
    const parent = find(cut < 0 ? '' : path.slice(0, cut))
    const id = scopes.length
    scopes.push({ id, parent, depth: (scopes[parent]?.depth ?? 0) + 1, path, count: 0 })
    known.set(path, id)
    return id
  }
  const of = Int32Array.from(graph.scopes, find)
  for (const id of of) {
    for (let scope = scopes[id]; scope; scope = scopes[scope.parent]) scope.count += 1
  }
  return { scopes, of, deepest: scopes.reduce((most, scope) => Math.max(most, scope.depth), 0) }
}

/** A scope of one operator is not worth a fold. */
export function folds(scope: Scope | undefined): boolean {
  return scope !== undefined && scope.id > 0 && scope.count > 1
}

/** The outermost folded scope around every scope, or -1. */
export function outermostFolded(tree: ScopeTree, folded: ReadonlySet<number>): Int32Array {
  const outer = new Int32Array(tree.scopes.length).fill(-1)
  for (const scope of tree.scopes) {
    const above = scope.parent < 0 ? -1 : (outer[scope.parent] ?? -1)
    outer[scope.id] = above >= 0 ? above : folded.has(scope.id) && folds(scope) ? scope.id : -1
  }
  return outer
}

/** Every scope at `depth`, folded. */
export function foldedAt(tree: ScopeTree, depth: number): Set<number> {
  return new Set(tree.scopes.filter((scope) => scope.depth === depth && folds(scope)).map((scope) => scope.id))
}

/** How many nodes are seen with these folds (a scope that has to be split counts once). */
export function nodesSeen(tree: ScopeTree, folded: ReadonlySet<number>): number {
  const outer = outermostFolded(tree, folded)
  const seen = new Set<number>()
  let count = 0
  for (const id of tree.of) {
    const at = outer[id] ?? -1
    if (at < 0) count += 1
    else seen.add(at)
  }
  return count + seen.size
}

/** Folds at the deepest level that leaves at most `most` nodes; at the first where none does; none where all fit. */
export function foldsAtFirst(tree: ScopeTree, most = MOST_AT_FIRST): Set<number> {
  if (tree.of.length <= most) return new Set()
  for (let depth = tree.deepest; depth > 1; depth -= 1) {
    const folded = foldedAt(tree, depth)
    if (folded.size > 0 && nodesSeen(tree, folded) <= most) return folded
  }
  return foldedAt(tree, 1)
}

/** Opens one scope; what is directly inside stays folded. */
export function unfold(tree: ScopeTree, folded: ReadonlySet<number>, id: number): Set<number> {
  const next = new Set(folded)
  next.delete(id)
  for (const scope of tree.scopes) if (scope.parent === id && folds(scope)) next.add(scope.id)
  return next
}

/** Opens every scope around an operator, and no other. */
export function reveal(tree: ScopeTree, folded: ReadonlySet<number>, operator: number): Set<number> {
  let next = new Set(folded)
  const around: number[] = []
  for (let id = tree.of[operator] ?? 0; id > 0; id = tree.scopes[id]?.parent ?? 0) around.push(id)
  for (const id of around.reverse()) if (next.has(id)) next = unfold(tree, next, id)
  return next
}
