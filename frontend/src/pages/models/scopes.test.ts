// Grouping by scope: depth by the number of groups, order of the model, the small ones together.
import { describe, expect, it } from 'vitest'

import type { OperatorRow } from '../../api/types'
import { groupByScope } from './scopes'

function operators(...rows: [scope: string, flops: number][]): OperatorRow[] {
  return rows.map(([scope, flops], index) => ({ index, scope, flops })) as OperatorRow[]
}

describe('groupByScope', () => {
  it('goes as deep as a short list allows, in the order of the model', () => {
    const { groups, rest } = groupByScope(operators(['stem', 2], ['net/b', 3], ['net/a', 5], ['net/b', 1], ['', 4]))
    expect(groups).toEqual([
      { name: 'stem', flops: 2 },
      { name: 'net/b', flops: 4 },
      { name: 'net/a', flops: 5 },
      { name: '', flops: 4 },
    ])
    expect(rest).toEqual([])
  })

  it('stays shallow when deeper levels have too many groups', () => {
    const many = Array.from({ length: 40 }, (_, index): [string, number] => [`net/layer.${index}`, 1])
    expect(groupByScope(operators(...many)).groups).toEqual([{ name: 'net', flops: 40 }])
  })

  it('keeps the largest of too many scopes and counts the rest', () => {
    const many = Array.from({ length: 20 }, (_, index): [string, number] => [`s${index}`, index + 1])
    const { groups, rest } = groupByScope(operators(...many))
    expect(groups).toHaveLength(15)
    expect(rest.map((group) => group.name)).toEqual(['s0', 's1', 's2', 's3', 's4'])
  })

  it('leaves out scopes that compute nothing', () => {
    expect(groupByScope(operators(['a', 0], ['b', 1])).groups).toEqual([{ name: 'b', flops: 1 }])
  })
})
