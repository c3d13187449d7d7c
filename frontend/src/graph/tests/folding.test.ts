// Folding scopes: sums, merged edges, no cycles, and what is folded at first.
import { describe, expect, it } from 'vitest'

import { bandsOf } from '../bands'
import { layoutGraph } from '../layout'
import { levelsOf } from '../levels'
import { placedNodes } from '../placement'
import { dressScene, layScene, SIZES } from '../scene'
import { foldedAt, foldsAtFirst, nodesSeen, reveal, scopeTree, unfold } from '../scopes'
import { findOperators } from '../search'
import { foldedView } from '../view'
import { graphOf, randomGraph } from './graphs'

const NAMES = ['in', 'net/a/x', 'net/a/y', 'net/b/x', 'net/b/y', 'out']
const GRAPH = graphOf(NAMES, [[0, 1, 1], [1, 2, 2], [1, 3, 4], [2, 3, 8], [3, 4, 16], [2, 4, 32], [4, 5, 64]])
const TREE = scopeTree(GRAPH)
const id = (path: string) => TREE.scopes.find((scope) => scope.path === path)?.id ?? -1

describe('scopeTree', () => {
  it('holds as many scopes as the longest names of many operators give', () => {
    const names = Array.from({ length: 1500 }, (_, i) => `${i}/${'a/'.repeat(98)}r`)
    const tree = scopeTree(graphOf(names, []))
    expect(tree.scopes.length).toBe(1 + 1500 * 99)
    expect(tree.deepest).toBe(99)
  })
})

describe('foldedView', () => {
  it('adds up what a folded scope holds and merges its edges', () => {
    const view = foldedView(GRAPH, TREE, new Set([id('net/a'), id('net/b')]))
    expect([...view.members]).toEqual([1, 2, 2, 1])
    expect([...view.flops]).toEqual([1, 2 + 3, 4 + 5, 6])
    expect([...view.bytes]).toEqual([100, 500, 900, 600])
    expect([...view.nodeOf]).toEqual([0, 1, 1, 2, 2, 3])
    const edges = [...view.source].map((from, edge) => [from, view.target[edge], view.size[edge], view.tensors[edge]])
    expect(edges).toEqual([
      [0, 1, 1, 1],
      [1, 2, 4 + 8 + 32, 3],
      [2, 3, 64, 1],
    ])
  })

  it('shows the outermost of nested folds', () => {
    const view = foldedView(GRAPH, TREE, new Set([id('net'), id('net/a')]))
    expect([...view.members]).toEqual([1, 4, 1])
  })

  it('splits a scope that its edges leave and enter again', () => {
    // s/1 -> t -> s/2: s as one node would stand before and after t.
    const graph = graphOf(['s/1', 't', 's/2', 's/3'], [[0, 1], [1, 2], [2, 3], [0, 3]])
    const tree = scopeTree(graph)
    const view = foldedView(graph, tree, foldedAt(tree, 1))
    expect([...view.nodeOf]).toEqual([0, 1, 2, 2])
    expect([...view.part]).toEqual([1, 1, 2])
    expect([...view.parts]).toEqual([2, 1, 2])
  })

  it('splits two scopes that feed each other, and only those', () => {
    const graph = graphOf(['a/1', 'b/2', 'a/3', 'b/1', 'c/1', 'c/2'], [[0, 1], [3, 2], [4, 5], [5, 0]])
    const tree = scopeTree(graph)
    const view = foldedView(graph, tree, foldedAt(tree, 1))
    expect(() => levelsOf(view)).not.toThrow()
    expect(view.nodeOf[4]).toBe(view.nodeOf[5])
    // Three nodes are enough: a run of a, all of b, the rest of a - or the other way round.
    expect(new Set([...view.nodeOf].slice(0, 4)).size).toBe(3)
  })

  it.each([11, 12, 13, 14])('keeps all sums and has no cycle on any graph, seed %i', (seed) => {
    const graph = randomGraph(200, seed)
    const tree = scopeTree(graph)
    for (const depth of [1, 2, 3]) {
      const view = foldedView(graph, tree, foldedAt(tree, depth))
      expect(() => levelsOf(view)).not.toThrow()
      const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0)
      expect(sum(view.flops)).toBe(sum(graph.flops))
      expect(sum(view.bytes)).toBe(sum(graph.bytes))
      expect(sum(view.members)).toBe(graph.count)
      const crossing = [...graph.source.keys()].filter((e) => view.nodeOf[graph.source[e] ?? 0] !== view.nodeOf[graph.target[e] ?? 0])
      expect(sum(view.tensors)).toBe(crossing.length)
      expect(sum(view.size)).toBe(sum(crossing.map((e) => graph.size[e] ?? 0)))
    }
  })
})

describe('scopes', () => {
  it('count the operators inside', () => {
    expect(TREE.scopes.map(({ path, count, depth }) => [path, count, depth])).toEqual([
      ['', 6, 0],
      ['net', 4, 1],
      ['net/a', 2, 2],
      ['net/b', 2, 2],
    ])
  })

  it('are folded at first as deep as the nodes can still be taken in', () => {
    expect(foldsAtFirst(TREE, 6)).toEqual(new Set())
    expect(foldsAtFirst(TREE, 5)).toEqual(new Set([id('net/a'), id('net/b')]))
    expect(foldsAtFirst(TREE, 3)).toEqual(new Set([id('net')]))
    expect(foldsAtFirst(TREE, 1)).toEqual(new Set([id('net')]))
    expect(nodesSeen(TREE, new Set([id('net')]))).toBe(3)
  })

  it('open one level at a time, and around an operator all the way', () => {
    expect(unfold(TREE, new Set([id('net')]), id('net'))).toEqual(new Set([id('net/a'), id('net/b')]))
    expect(reveal(TREE, new Set([id('net')]), 3)).toEqual(new Set([id('net/a')]))
    expect(reveal(TREE, new Set([id('net/a')]), 0)).toEqual(new Set([id('net/a')]))
  })

  it('stand behind their nodes as bands where no other node is in the way', () => {
    const layout = layScene(GRAPH, TREE, new Set())
    expect(layout.bands.map((band) => band.name)).toEqual(['a', 'b'])
    const mixed = graphOf(['a/1', 'b/1', 'a/2', 'b/2', 'a/3', 'c'], [[0, 1], [1, 2], [2, 3], [3, 4]])
    const tree = scopeTree(mixed)
    const view = foldedView(mixed, tree, new Set())
    expect(bandsOf(tree, view, layoutGraph(view, SIZES))).toEqual([])
  })
})

describe('findOperators', () => {
  it('looks at names, types and scopes in any case', () => {
    expect([...findOperators(GRAPH, 'NET/B')]).toEqual([3, 4])
    expect([...findOperators(GRAPH, 'conv')]).toEqual([0, 2, 4])
    expect([...findOperators(GRAPH, '  ')]).toEqual([])
    const scene = dressScene({ graph: GRAPH, tree: TREE, ...layScene(GRAPH, TREE, new Set([id('net/b')])) }, null, findOperators(GRAPH, 'net/b/y'))
    expect([...(scene.found ?? [])]).toEqual([0, 0, 0, 1, 0])
  })
})

describe('placedNodes', () => {
  it('takes the device of most operators and finds the edges cut, under folds too', () => {
    const devices = [{ tag: 'G0', slot: 1 }, { tag: 'C0', slot: 2 }]
    const view = foldedView(GRAPH, TREE, new Set([id('net')]))
    const placed = placedNodes({ device: [0, 1, 1, 1, 0, -1], devices }, view, GRAPH)
    expect([...placed.device]).toEqual([0, 1, -1])
    expect([...placed.second]).toEqual([-1, 0, -1])
    // in -> net/a/x changes the device; net/b/y -> out leads to an operator that has none.
    expect([...placed.cut]).toEqual([1, 0])
  })
})
