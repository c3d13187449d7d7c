// Two plans of one model, perhaps of two searches with other pools and other joined operators.
import { describe, expect, it } from 'vitest'

import { beforeOf, bothPools, moveMatrix, movesBetween } from '../compare/moves'
import { twoLayouts, walk } from '../compare/two-timelines'
import { parseAddress, writeAddress } from '../logic/address'
import { buildModel } from '../logic/model'
import { INITIAL } from '../logic/address'
import { detailOf, devices, front, plans, plan } from './fixture'

const a = detailOf(plans[0] ?? plan(1, 1, 1, 1))
const OTHER = [
  { name: 'cpu0', tag: 'C0', slot: 1, display_name: 'Xeon', device_type: 'CPU' as const },
  { name: 'tpu0', tag: 'F0', slot: 2, display_name: 'Other', device_type: 'FPGA' as const },
]
/** The stem and the left branch are one operator here, on the CPU; the head is on a device that A lacks. */
const b = {
  operators: [
    { ...a.operators[0], name: 'stem', members: ['stem/conv', 'left/conv'], device: 0, index: 0 },
    { ...a.operators[2], index: 1, device: 0 },
    { ...a.operators[3], index: 2, device: 1 },
  ] as typeof a.operators,
}

describe('a comparison across searches', () => {
  it('meets operators by name and by what they are joined of, and devices by name', () => {
    expect(movesBetween(a, b, devices, OTHER)).toEqual([
      { index: 0, name: 'stem/conv', a: 0, b: 0 },
      { index: 1, name: 'left/conv', a: 0, b: 0 },
      { index: 3, name: 'head/gemm', a: 0, b: 1 },
    ])
    expect(moveMatrix(a, b, 3, 2)).toEqual([[2, 1, 0], [1, 0, 0]])
  })

  it('draws the devices of both pools, those of A first', () => {
    const all = bothPools(devices, OTHER)
    expect(all.map(({ name }) => name)).toEqual(['gpu0', 'cpu0', 'npu0', 'tpu0'])
    expect(new Set(all.map(({ slot }) => slot)).size).toBe(4)
    expect([...beforeOf(a, b, all, OTHER)]).toEqual([1, 1, 1, 3])
  })

  it('leaves an operator that B lacks where it is', () => {
    const less = { operators: b.operators.slice(1) }
    expect(movesBetween(a, less, devices, OTHER).map(({ index }) => index)).toEqual([3])
    expect([...beforeOf(a, less, devices, OTHER)]).toEqual([-1, -1, 1, -1])
  })

  it('stands in the address, and B marks no plan of this front then', () => {
    const id = 'c0ffee00-0000-4000-8000-00000000000a'
    const state = parseAddress(`b=abc&bs=${id}`)
    expect([state.b, state.against]).toEqual(['abc', id])
    expect(writeAddress(state)).toBe(`b=abc&bs=${id}`)
    expect(buildModel(front, { ...INITIAL, against: id }).b).toBe(-1)
    expect(buildModel(front, INITIAL).b).toBeGreaterThanOrEqual(0)
  })

  it('puts the lanes of B under those of A, on one axis', () => {
    const [first, second] = twoLayouts([{ detail: a, devices }, { detail: a, devices: OTHER }], 800, 400)
    expect(first?.devices).toHaveLength(3)
    expect(second?.devices[0]?.top).toBeGreaterThan((first?.devices[2]?.top ?? 0) + (first?.devices[2]?.height ?? 0))
    expect([first?.left, first?.width]).toEqual([second?.left, second?.width])
  })
})

describe('keys in both timelines', () => {
  const layouts = twoLayouts([{ detail: a, devices }, { detail: a, devices }], 900, 300)
  const [stem, left, relu] = a.operators

  it('walk along a lane, to the next one, and from the last of A to the first of B and back', () => {
    expect(walk(layouts, 0, undefined, 'right')).toMatchObject({ side: 0, operator: { name: 'stem/conv' } })
    expect(walk(layouts, 0, stem, 'right')).toMatchObject({ side: 0, operator: { name: 'left/conv' } })
    expect(walk(layouts, 0, left, 'down')).toMatchObject({ side: 0, operator: { name: 'right/relu' } })
    expect(walk(layouts, 0, relu, 'down')).toMatchObject({ side: 1, operator: { name: 'left/conv' } })
    expect(walk(layouts, 1, left, 'up')).toMatchObject({ side: 0, operator: { name: 'right/relu' } })
  })

  it('stay at the first and the last lane, and at the ends of one', () => {
    expect(walk(layouts, 0, stem, 'up')).toMatchObject({ side: 0, operator: { name: 'stem/conv' } })
    expect(walk(layouts, 1, relu, 'down')).toMatchObject({ side: 1, operator: { name: 'right/relu' } })
    expect(walk(layouts, 1, relu, 'right')).toMatchObject({ side: 1, operator: { name: 'right/relu' } })
  })

  it('find nothing where a plan has no lanes', () => {
    expect(walk([], 0, stem, 'down')).toBeNull()
  })
})
