// How a plan shows on the nodes of a graph, and how two plans differ there.
import { describe, expect, it } from 'vitest'

import { placedNodes, scopeShares } from '../placement'
import type { GraphView } from '../view'

// Four operators; the last two are one folded scope.
const view = {
  count: 3,
  nodeOf: Int32Array.of(0, 1, 2, 2),
  source: Int32Array.of(0, 1),
  target: Int32Array.of(1, 2),
} as unknown as GraphView
const graph = { source: Int32Array.of(0, 1, 1), target: Int32Array.of(1, 2, 3) }
const devices = [{ tag: 'G0', slot: 1 }, { tag: 'C0', slot: 2 }]

describe('a placement on nodes', () => {
  it('counts devices, cut edges, the critical path and what moved', () => {
    const nodes = placedNodes({ device: [0, 0, 0, 1], devices, critical: new Set([0, 3]), before: [0, 1, 1, 1] }, view, graph)
    expect([...nodes.device]).toEqual([0, 0, 0])
    expect([...nodes.second]).toEqual([-1, -1, 1])
    expect([...nodes.cut]).toEqual([0, 1])
    expect([...nodes.critical]).toEqual([1, 0, 1])
    expect([...nodes.moved]).toEqual([0, 1, 1])
  })

  it('moves nothing without another plan, nor where that has no device', () => {
    expect([...placedNodes({ device: [0, 0, 0, 1], devices }, view, graph).moved]).toEqual([0, 0, 0])
    expect([...placedNodes({ device: [0, 0, 0, 1], devices, before: [-1, -1, -1, -1] }, view, graph).moved]).toEqual([0, 0, 0])
  })

  it('shares the operators of a scope, inner scopes counted, among devices', () => {
    const tree = { of: [0, 1, 2, 2], scopes: [{ parent: -1 }, { parent: 0 }, { parent: 1 }] }
    const shares = scopeShares({ device: [0, 0, 0, 1], devices }, tree, [1, 2])
    expect([...(shares.get(1) ?? [])]).toEqual([2, 1])
    expect([...(shares.get(2) ?? [])]).toEqual([1, 1])
  })
})
