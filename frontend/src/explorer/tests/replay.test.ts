// Generations of a search as fronts that lie under the one that they became.
import { describe, expect, it } from 'vitest'

import { parseAddress, writeAddress } from '../logic/address'
import { columnOf, tableOf } from '../logic/measures'
import { frontOfStep, stepAt } from '../logic/replay'
import { front } from './fixture'

const steps = [
  { generation: 0, hypervolume: 2.5, values: [[0.8, 0.05, 0.2]] },
  { generation: 10, hypervolume: 2.6, values: [[0.4, 0.08, 0.1], [0.8, 0.05, 0.2]] },
]

describe('a replay', () => {
  it('shows the last front that is not after the generation', () => {
    expect(stepAt(steps, 9)?.generation).toBe(0)
    expect(stepAt(steps, 10)?.generation).toBe(10)
    expect(stepAt(steps, 99)?.generation).toBe(10)
    expect(stepAt(steps.slice(1), 3)?.generation).toBe(10)
    expect(stepAt([], 3)).toBeUndefined()
  })

  it('gives the objectives as columns, with multiples of the same reference', () => {
    const table = tableOf(frontOfStep(front, steps[1] ?? { generation: 0, hypervolume: null, values: [] }))
    expect(table.count).toBe(2)
    expect(columnOf(table, 'energy_j')).toEqual([0.08, 0.05])
    expect(table.multiples[0]).toEqual([0.5, 1])
    // What was not kept is not drawn.
    expect(columnOf(table, 'peak_memory_bytes')).toEqual([])
  })

  it('stands in the address', () => {
    expect(parseAddress('gen=10').generation).toBe(10)
    expect(parseAddress('gen=x').generation).toBeNull()
    expect(writeAddress(parseAddress('gen=0'))).toBe('gen=0')
  })
})
