// The layout: exact on graphs worked by hand; on any graph, edges go on and nothing overlaps.
import { describe, expect, it } from 'vitest'

import { nodeAt, nodeBeside } from '../hit'
import { type GraphLayout, layoutGraph } from '../layout'
import { levelsOf } from '../levels'
import { spread } from '../place'
import { SIZES } from '../scene'
import { foldedAt, scopeTree } from '../scopes'
import { foldedView, type GraphView } from '../view'
import { graphOf, randomGraph } from './graphs'

const flat = (names: number, edges: [number, number][]) => graphOf(Array.from({ length: names }, (_, i) => `n${i}`), edges)
const SMALL = { width: 100, height: 30, gapX: 20, gapY: 10, lane: 8 }

describe('levelsOf', () => {
  it('is the longest path, with what begins a branch right before its reader', () => {
    // 0 -> 1 -> 2 -> 3, 0 -> 3, and 4 -> 3 which nothing leads to.
    expect([...levelsOf(flat(5, [[0, 1], [1, 2], [2, 3], [0, 3], [4, 3]]))]).toEqual([0, 1, 2, 3, 2])
  })

  it('says that a graph has a cycle', () => {
    expect(() => levelsOf(flat(3, [[0, 1], [1, 2], [2, 1]]))).toThrow('cycle')
  })
})

describe('spread', () => {
  it('leaves what has room where it wants to be', () => {
    expect([...spread([0, 50, 70], [0, 10, 10])]).toEqual([0, 50, 70])
  })

  it('shares a conflict equally', () => {
    // Both want 10 and need 20 between them: 0 and 20 are each 10 away.
    expect([...spread([10, 10], [0, 20])]).toEqual([0, 20])
    expect([...spread([30, 0, 100], [0, 10, 10])]).toEqual([10, 20, 100])
  })
})

describe('layoutGraph', () => {
  it('draws a chain as a straight line', () => {
    const layout = layoutGraph(flat(3, [[0, 1], [1, 2]]), SMALL)
    expect([...layout.x]).toEqual([50, 170, 290])
    expect([...layout.y]).toEqual([15, 15, 15])
    expect([layout.width, layout.height]).toEqual([340, 30])
  })

  it('draws a diamond even on both sides', () => {
    const layout = layoutGraph(flat(4, [[0, 1], [0, 2], [1, 3], [2, 3]]), SMALL)
    expect([...layout.y]).toEqual([35, 15, 55, 35])
    expect(layout.height).toBe(70)
  })

  it('uncrosses two chains', () => {
    // 0 -> 3 and 1 -> 2: in the order of the file they would cross.
    const layout = layoutGraph(flat(4, [[0, 3], [1, 2]]), SMALL)
    expect((layout.y[0] ?? 0) < (layout.y[1] ?? 0)).toBe((layout.y[3] ?? 0) < (layout.y[2] ?? 0))
  })

  it('leads an edge around the nodes that it passes', () => {
    const layout = layoutGraph(flat(3, [[0, 1], [1, 2], [0, 2]]), SMALL)
    const [lane] = layout.laneY
    expect(layout.laneY).toHaveLength(1)
    // Half a node, half a gap and half a lane away from the node at its level.
    expect(Math.abs((lane ?? 0) - (layout.y[1] ?? 0))).toBeCloseTo(24)
  })

  it('takes a graph without edges, and one without nodes', () => {
    expect(layoutGraph(flat(3, []), SMALL).levels.map((row) => row.length)).toEqual([3])
    expect(layoutGraph(flat(0, []), SMALL)).toMatchObject({ width: 0, height: 0, levels: [] })
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('sends every edge on and keeps nodes apart, seed %i', (seed) => {
    const graph = randomGraph(30 * seed, seed)
    const tree = scopeTree(graph)
    for (const depth of [0, 1, 2]) {
      const view = foldedView(graph, tree, foldedAt(tree, depth))
      check(view, layoutGraph(view, SIZES))
    }
  })
})

function check(view: GraphView, layout: GraphLayout): void {
  const { sizes, level, x, y } = layout
  view.source.forEach((from, edge) => expect(level[view.target[edge] ?? 0]).toBeGreaterThan(level[from] ?? 0))
  const seen = layout.levels.flatMap((row) => [...row])
  expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: view.count }, (_, node) => node))
  layout.levels.forEach((row, at) => {
    row.forEach((node, i) => {
      expect(level[node]).toBe(at)
      expect(x[node]).toBe(at * (sizes.width + sizes.gapX) + sizes.width / 2)
      expect(y[node]).toBeGreaterThanOrEqual(sizes.height / 2 - 1e-6)
      expect(y[node]).toBeLessThanOrEqual(layout.height - sizes.height / 2 + 1e-6)
      if (i > 0) expect((y[node] ?? 0) - (y[row[i - 1] ?? 0] ?? 0)).toBeGreaterThanOrEqual(sizes.height + sizes.gapY - 1e-6)
      expect(nodeAt(layout, x[node] ?? 0, y[node] ?? 0)).toBe(node)
    })
  })
}

describe('nodeAt and nodeBeside', () => {
  const edges = flat(4, [[0, 1], [0, 2], [1, 3], [2, 3]])
  const layout = layoutGraph(edges, SMALL)

  it('hits what is drawn and nothing between', () => {
    expect(nodeAt(layout, 50, 35)).toBe(0)
    expect(nodeAt(layout, 110, 35)).toBe(-1)
    expect(nodeAt(layout, 170, 35)).toBe(-1)
    expect(nodeAt(layout, 170, 29)).toBe(1)
    expect(nodeAt(layout, 104, 35, 6)).toBe(0)
    expect(nodeAt(layout, -5000, 35)).toBe(-1)
  })

  it('walks along edges and levels', () => {
    expect(nodeBeside(layout, edges, 1, 'right')).toBe(3)
    expect(nodeBeside(layout, edges, 1, 'left')).toBe(0)
    expect(nodeBeside(layout, edges, 1, 'down')).toBe(2)
    expect(nodeBeside(layout, edges, 1, 'up')).toBe(-1)
    expect(nodeBeside(layout, edges, 3, 'right')).toBe(-1)
  })
})
