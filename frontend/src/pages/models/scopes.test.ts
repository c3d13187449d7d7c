// Sums by type and by scope: depth by the number of groups, order of the model, the small ones together.
import { describe, expect, it } from 'vitest'

import { type Measured, sumByScope, sumByType } from './scopes'

function operators(...rows: [scope: string, flops: number, type?: string][]): Measured {
  return {
    count: rows.length,
    scopes: rows.map(([scope]) => scope),
    types: rows.map(([, , type]) => type ?? 'Add'),
    flops: rows.map(([, flops]) => flops),
    bytes: rows.map(([, flops]) => 10 * flops),
  }
}

describe('sumByScope', () => {
  it('goes as deep as a short list allows, in the order of the model', () => {
    const graph = operators(['stem', 2], ['net/b', 3], ['net/a', 5], ['net/b', 1], ['', 4])
    const { groups, rest } = sumByScope(graph, 'flops')
    expect(groups).toEqual([
      { name: 'stem', value: 2 },
      { name: 'net/b', value: 4 },
      { name: 'net/a', value: 5 },
      { name: '', value: 4 },
    ])
    expect(rest).toEqual([])
    expect(sumByScope(graph, 'bytes').groups.map((group) => group.value)).toEqual([20, 40, 50, 40])
    expect(sumByScope(graph, 'count').groups.map((group) => group.value)).toEqual([1, 2, 1, 1])
  })

  it('stays shallow when deeper levels have too many groups', () => {
    const many = Array.from({ length: 40 }, (_, index): [string, number] => [`net/layer.${index}`, 1])
    expect(sumByScope(operators(...many), 'flops').groups).toEqual([{ name: 'net', value: 40 }])
  })

  it('keeps the largest of too many scopes and counts the rest', () => {
    const many = Array.from({ length: 20 }, (_, index): [string, number] => [`s${index}`, index + 1])
    const { groups, rest } = sumByScope(operators(...many), 'flops')
    expect(groups).toHaveLength(15)
    expect(rest.map((group) => group.name)).toEqual(['s0', 's1', 's2', 's3', 's4'])
  })

  it('leaves out scopes that compute nothing', () => {
    expect(sumByScope(operators(['a', 0], ['b', 1]), 'flops').groups).toEqual([{ name: 'b', value: 1 }])
  })
})

describe('sumByType', () => {
  it('sums each measure, the largest first', () => {
    const graph = operators(['', 1, 'Relu'], ['', 7, 'Conv'], ['', 2, 'Relu'])
    expect(sumByType(graph, 'flops')).toEqual([
      { name: 'Conv', value: 7 },
      { name: 'Relu', value: 3 },
    ])
    expect(sumByType(graph, 'count').map((sum) => sum.name)).toEqual(['Relu', 'Conv'])
  })
})
