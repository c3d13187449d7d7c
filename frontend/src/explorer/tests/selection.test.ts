// The page's rule of choice against the cases that the engine answers too, and at 2,000 plans.
import { describe, expect, it } from 'vitest'

import fixture from '../../../../tests/fixtures/selection_cases.json'
import { type Bounds, type Candidate, presetIndex, select, type Weights } from '../logic/selection'
import type { MetricKey } from '../types'

interface Case {
  name: string
  front: keyof typeof fixture.fronts
  weights: (number | string)[]
  bounds: Record<string, { min?: number | string; max?: number | string }>
  expected: {
    error?: string
    index?: number | null
    passing?: number[]
    removed_by?: Record<string, number>
    nearest?: number
    violation?: Record<string, number>
  }
}

const numberOf = (value: number | string | undefined): number | null => (value === undefined ? null : Number(value))

function plansOf(name: Case['front']): { plans: Candidate[]; reference: Record<string, number> } {
  const { values, multiples, reference } = fixture.fronts[name]
  const plans = values.map(([t = 0, e = 0, b = 0], i) => {
    const [tx = 0, ex = 0, bx = 0] = multiples[i] ?? []
    return {
      exec_time_ms: t,
      energy_j: e,
      load_balance: b,
      exec_time_x: tx,
      energy_x: ex,
      load_balance_x: bx,
      peak_memory_bytes: 0,
      transferred_bytes: 0,
    }
  })
  const [t = 0, e = 0, b = 0] = reference
  return { plans, reference: { exec_time_ms: t, energy_j: e, load_balance: b } }
}

describe('select', () => {
  it.each(fixture.cases as unknown as Case[])('$name', ({ front, weights, bounds, expected }) => {
    const { plans, reference } = plansOf(front)
    const given = Object.fromEntries(
      Object.entries(bounds).map(([metric, { min, max }]) => [metric, { min: numberOf(min), max: numberOf(max) }]),
    ) as Bounds
    const run = () => select(plans, weights.map(Number) as unknown as Weights, given, reference)
    if (expected.error) {
      expect(run).toThrow(expected.error)
      return
    }
    const answer = run()
    expect(plans.map((_, i) => i).filter((i) => answer.passing[i])).toEqual(expected.passing)
    expect(answer.removedBySide).toEqual(expected.removed_by)
    expect(answer.nearest).toBe(expected.nearest ?? null)
    expect(answer.chosen).toBe(expected.index ?? expected.nearest)
    const missed = Object.fromEntries(answer.violations.map((v) => [`${v.metric}.${v.side}`, v.amount]))
    expect(Object.keys(missed)).toHaveLength(Object.keys(expected.violation ?? {}).length)
    for (const [key, amount] of Object.entries(expected.violation ?? {})) expect(missed[key]).toBeCloseTo(amount, 9)
  })

  it('answers an empty front', () => {
    expect(select([], [1, 1, 1], {})).toMatchObject({ chosen: -1, ranked: [], nearest: null, nPassing: 0 })
    expect(presetIndex([], [], 'fastest')).toBe(-1)
  })

  it('ranks by the score, ties by distance to the ideal, and keeps every passing plan once', () => {
    const { plans } = plansOf('three')
    // All three score 5 with equal weights; the middle one is nearest to the ideal (1, 1, 5).
    expect(select(plans, [1, 1, 1], {}).ranked).toEqual([1, 0, 2])
  })

  it('lists plans by violation when none passes', () => {
    const { plans } = plansOf('four')
    const answer = select(plans, [1, 0, 0], { exec_time_ms: { min: null, max: 1 } })
    expect(answer.ranked).toEqual([0, 1, 2, 3])
    expect(answer.nPassing).toBe(0)
  })

  it('bounds memory, which carries no weight', () => {
    const plans = plansOf('four').plans.map((p, i) => ({ ...p, peak_memory_bytes: 10 * (i + 1) }))
    const answer = select(plans, [1, 0, 0], { peak_memory_bytes: { min: 15, max: 35 } })
    expect(answer.passing).toEqual([false, true, true, false])
    expect(answer.removedBy).toEqual({ peak_memory_bytes: 2 })
  })

  it('presets take one objective alone, ties by time', () => {
    const { plans } = plansOf('four')
    const all = plans.map(() => true)
    expect((['fastest', 'least_energy', 'most_balanced'] as const).map((k) => presetIndex(plans, all, k))).toEqual([0, 3, 3])
    expect(presetIndex(plans, [false, true, true, false], 'least_energy')).toBe(2)
    expect(presetIndex(plans, [false, false, false, false], 'least_energy')).toBe(3)
  })

  it('orders 2,000 plans completely', () => {
    const plans: Candidate[] = Array.from({ length: 2000 }, (_, i) => ({
      ...(plansOf('one').plans[0] as Candidate),
      exec_time_x: ((i * 7919) % 2000) / 1000,
      energy_x: ((i * 104729) % 2000) / 1000,
    }))
    const metric: MetricKey = 'exec_time_ms'
    const { ranked, scores } = select(plans, [50, 30, 20], { [metric]: { min: null, max: 2 } })
    expect(new Set(ranked).size).toBe(2000)
    for (let i = 1; i < ranked.length; i += 1) {
      expect(scores[ranked[i - 1] ?? 0]).toBeLessThanOrEqual((scores[ranked[i] ?? 0] ?? 0) + 1e-9)
    }
  })
})
