// The page's rule of choice against the cases that the engine answers too, and at 2,000 plans.
import { describe, expect, it } from 'vitest'

import fixture from '../../../../tests/fixtures/selection_cases.json'
import type { Measure, Table } from '../logic/measures'
import { bestBy, type Bounds, select } from '../logic/selection'

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

const KEYS = ['exec_time_ms', 'energy_j', 'load_balance']

/** A table whose objectives are as many of the keys as there are multiples, with more measures by key. */
function tableOf(
  values: number[][],
  multiples: number[][],
  reference: number[],
  more: Record<string, number[]> = {},
  up: string[] = [],
  keys: string[] = KEYS,
): Table {
  const chosenBy = keys.slice(0, multiples[0]?.length ?? keys.length)
  const column = (rows: number[][], k: number) => rows.map((row) => row[k] ?? 0)
  const measure = (key: string, k: number): Measure => ({
    key,
    name: key,
    unit: '',
    direction: up.includes(key) ? 'max' : 'min',
    reference: reference[k] ?? null,
    objective: chosenBy.includes(key),
  })
  const known = keys.map(measure)
  const objectives = known.slice(0, chosenBy.length)
  return {
    count: values.length,
    objectives,
    measures: [...known, ...Object.keys(more).map((key) => measure(key, -1))],
    values: { ...Object.fromEntries(keys.map((key, k) => [key, column(values, k)])), ...more },
    times: {},
    multiples: objectives.map((_, k) => column(multiples, k)),
  }
}

interface FixtureFront {
  keys?: string[]
  maximised?: string[]
  reference: number[]
  values: number[][]
  multiples: number[][]
}

function fixtureTable(name: Case['front'], more: Record<string, number[]> = {}, up: string[] = []): Table {
  const { keys = KEYS, maximised = up, values, multiples, reference }: FixtureFront = fixture.fronts[name]
  return tableOf(values, multiples, reference, more, maximised, keys)
}

describe('select', () => {
  it.each(fixture.cases as unknown as Case[])('$name', ({ front, weights, bounds, expected }) => {
    const table = fixtureTable(front)
    const given = Object.fromEntries(
      Object.entries(bounds).map(([metric, { min, max }]) => [metric, { min: numberOf(min), max: numberOf(max) }]),
    ) as Bounds
    const run = () => select(table, weights.map(Number), given)
    if (expected.error) {
      expect(run).toThrow(expected.error)
      return
    }
    const answer = run()
    expect(answer.passing.flatMap((passes, i) => (passes ? [i] : []))).toEqual(expected.passing)
    expect(answer.removedBySide).toEqual(expected.removed_by)
    expect(answer.nearest).toBe(expected.nearest ?? null)
    expect(answer.chosen).toBe(expected.index ?? expected.nearest)
    const missed = Object.fromEntries(answer.violations.map((v) => [`${v.metric}.${v.side}`, v.amount]))
    expect(Object.keys(missed)).toHaveLength(Object.keys(expected.violation ?? {}).length)
    for (const [key, amount] of Object.entries(expected.violation ?? {})) expect(missed[key]).toBeCloseTo(amount, 9)
  })

  it('answers an empty front', () => {
    const empty = tableOf([], [], [1, 1, 1])
    expect(select(empty, [1, 1, 1], {})).toMatchObject({ chosen: -1, ranked: [], nearest: null, nPassing: 0 })
    expect(bestBy(empty, [], 'exec_time_ms')).toBe(-1)
  })

  it('ranks by the score, ties by distance to the ideal, and keeps every passing plan once', () => {
    // All three score 5 with equal weights; the middle one is nearest to the ideal (1, 1, 5).
    expect(select(fixtureTable('three'), [1, 1, 1], {}).ranked).toEqual([1, 0, 2])
  })

  it('lists plans by violation when none passes', () => {
    const answer = select(fixtureTable('four'), [1, 0, 0], { exec_time_ms: { min: null, max: 1 } })
    expect(answer.ranked).toEqual([0, 1, 2, 3])
    expect(answer.nPassing).toBe(0)
  })

  it('bounds any measure, though it carries no weight, and refuses one that the front does not have', () => {
    const table = fixtureTable('four', { peak_memory_bytes: [10, 20, 30, 40] })
    const answer = select(table, [1, 0, 0], { peak_memory_bytes: { min: 15, max: 35 } })
    expect(answer.passing).toEqual([false, true, true, false])
    expect(answer.removedBy).toEqual({ peak_memory_bytes: 2 })
    expect(() => select(table, [1, 0, 0], { cost_per_hour: { min: 1, max: null } })).toThrow('bound_unknown')
  })

  it('needs one weight an objective', () => {
    expect(() => select(fixtureTable('four'), [1, 1], {})).toThrow('weights_invalid')
  })

  it('lets an infinite multiple that carries no weight count for nothing', () => {
    const table = tableOf([[1, 1, 1], [2, 2, 2]], [[1, Infinity, 1], [2, 2, 1]], [1, 1, 1])
    expect(select(table, [1, 0, 1], {}).ranked).toEqual([0, 1])
  })

  it('presets take one measure alone, ties by the objectives; the highest where higher is better', () => {
    const more = { throughput_per_s: [3, 9, 9, 1], peak_memory_bytes: [4, 4, 2, 2] }
    const table = fixtureTable('four', more, ['throughput_per_s'])
    const all = [true, true, true, true]
    const best = (passing: boolean[], key: string) => bestBy(table, passing, key)
    expect(KEYS.map((key) => best(all, key))).toEqual([0, 3, 3])
    expect(best([false, true, true, false], 'energy_j')).toBe(2)
    expect(best([false, false, false, false], 'energy_j')).toBe(3)
    expect(best(all, 'throughput_per_s')).toBe(1)
    expect(best(all, 'peak_memory_bytes')).toBe(2)
    expect(best(all, 'nothing')).toBe(-1)
  })

  it('orders 2,000 plans completely', () => {
    const rows = Array.from({ length: 2000 }, (_, i) => [((i * 7919) % 2000) / 1000, ((i * 104729) % 2000) / 1000, 1])
    const { ranked, scores } = select(tableOf(rows, rows, [1, 1, 1]), [50, 30, 20], { exec_time_ms: { min: null, max: 2 } })
    expect(new Set(ranked).size).toBe(2000)
    for (let i = 1; i < ranked.length; i += 1) {
      expect(scores[ranked[i - 1] ?? 0]).toBeLessThanOrEqual((scores[ranked[i] ?? 0] ?? 0) + 1e-9)
    }
  })
})
