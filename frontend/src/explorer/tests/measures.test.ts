// Measures beyond time, energy and balance: axes, figures, bounds, directions, an earlier front.
import { describe, expect, it } from 'vitest'

import { rangesOf } from '../front/axes'
import { lookOf } from '../front/look'
import { INITIAL, parseAddress, writeAddress } from '../logic/address'
import { axesOf, defaultAxes, parallelAxes, withAxis } from '../logic/axes'
import { figuresOf, measureOf, multipleAt, tableOf } from '../logic/measures'
import { buildModel } from '../logic/model'
import { standing } from '../logic/overlay'
import { figure, scaleFor, scalesOf } from '../logic/scales'
import { defaultWeights, moveWeight, parseWeights } from '../logic/weights'
import { namesOf } from '../state/names'
import type { Front } from '../types'
import { front, plan } from './fixture'

const table = tableOf(front)
/** The same front, searched for time and throughput only. */
const two: Front = {
  ...front,
  objectives: [front.objectives[0], { ...front.measures[2], reference_kind: 'default' }] as Front['objectives'],
  plans: front.plans.map((p) => ({ ...p, multiples: { ...p.multiples, throughput_per_s: 1250 / (p.values.throughput_per_s ?? 1) } })),
}
const tokens = { of: 'test', score: ['#000000', '#ffffff'], value: () => '#888888' } as never

describe('axes', () => {
  it('are the objectives, filled up where there are fewer than three', () => {
    expect(defaultAxes(table)).toEqual(['exec_time_ms', 'energy_j', 'load_balance'])
    expect(defaultAxes(tableOf(two))).toEqual(['exec_time_ms', 'throughput_per_s', 'energy_j'])
    expect(figuresOf(tableOf(two)).map((m) => m.key)).toEqual(['exec_time_ms', 'throughput_per_s', 'energy_j'])
  })

  it('take any three measures that the front has, and ignore others', () => {
    const asked = ['exec_time_ms', 'throughput_per_s', 'peak_memory_bytes'] as const
    expect(axesOf(table, { axes: asked, colour: 'energy_j', size: 'nothing' })).toEqual({ keys: asked, colour: 'energy_j', size: null })
    expect(axesOf(table, { axes: ['exec_time_ms', 'nothing', 'energy_j'], colour: null, size: null }).keys).toEqual(defaultAxes(table))
  })

  it('swap places when one takes a measure that another has', () => {
    expect(withAxis(['a', 'b', 'c'], 0, 'c')).toEqual(['c', 'b', 'a'])
    expect(withAxis(['a', 'b', 'c'], 1, 'd')).toEqual(['a', 'd', 'c'])
  })

  it('of the parallel coordinates keep objectives and what is used, and others as far as there is room', () => {
    expect(parallelAxes(table, [], 9)).toHaveLength(6)
    expect(parallelAxes(table, ['throughput_per_s'], 3)).toEqual(['exec_time_ms', 'energy_j', 'load_balance', 'throughput_per_s'])
  })

  it('of the parallel coordinates leave out what no plan differs in, unless it is used', () => {
    const priceless = tableOf({ ...front, plans: front.plans.map((p) => ({ ...p, values: { ...p.values, throughput_per_s: 0 } })) })
    expect(parallelAxes(priceless, [], 9)).not.toContain('throughput_per_s')
    expect(parallelAxes(priceless, ['throughput_per_s'], 9)).toContain('throughput_per_s')
  })

  it('stand in the address with colour, size and bounds on any measure', () => {
    const state = {
      ...INITIAL,
      axes: ['exec_time_ms', 'throughput_per_s', 'peak_memory_bytes'] as const,
      colour: 'transferred_bytes',
      size: 'cost_per_hour',
      bounds: { throughput_per_s: { min: 1500, max: null } },
      weights: [70, 30],
    }
    expect(writeAddress(state)).toBe('w=70-30&min_throughput_per_s=1500&axes=t.throughput_per_s.m&colour=x&size=cost_per_hour')
    expect(parseAddress(writeAddress(state))).toEqual(state)
    expect(parseAddress('axes=t.t.e&colour=%3Cb%3E&min___proto__=1')).toEqual(INITIAL)
  })

  it('cover the earlier front too', () => {
    const before = { ...front, plans: [plan(1, 2, 0.05, 0.1)] }
    const earlier = { search: { id: 'x', number: 6 }, front: before, table: tableOf(before) }
    const model = buildModel(front, INITIAL)
    expect(rangesOf(model, ['exec_time_ms'], false, 0, earlier).exec_time_ms).toMatchObject({ lo: 400, hi: 2000 })
    expect(rangesOf(model, ['exec_time_ms'], true, 0, earlier).exec_time_ms).toMatchObject({ lo: 400, hi: 1200 })
  })
})

describe('directions', () => {
  it('count a maximised measure so that lower is better, and show it so that higher is more', () => {
    const model = buildModel(two, { ...INITIAL, weights: [0, 100] })
    expect(model.a).toBe(0)
    const throughput = measureOf(model.table, 'throughput_per_s')
    expect(throughput && multipleAt(model.table, throughput, 0)).toBeCloseTo(2, 9)
  })

  it('bound from below what is better higher', () => {
    const model = buildModel(front, { ...INITIAL, bounds: { throughput_per_s: { min: 1700, max: null } } })
    expect(model.selection.passing).toEqual([true, true, true, false, false, false])
  })

  it('ignore a bound on what the front does not measure', () => {
    expect(buildModel(front, { ...INITIAL, bounds: { nothing: { min: 1, max: null } } }).selection.nPassing).toBe(6)
  })

  it('name the best by what is good', () => {
    const names = namesOf({ table, scales: scalesOf(front) }, 'en')
    expect(names.best('throughput_per_s')).toBe('Highest throughput')
    expect(names.title('throughput_per_s')).toBe('Throughput ↑ k/s')
    expect(names.title('exec_time_ms')).toBe('Time µs')
  })

  it('colour by a measure, the better end standing out', () => {
    const look = lookOf(buildModel(front, { ...INITIAL, colour: 'throughput_per_s', size: 'peak_memory_bytes' }), tokens)
    expect([look.order[0], look.colours[0], look.colours[5]]).toEqual([0, '#ffffff', '#000000'])
    expect([look.sizes[0], look.sizes[5]]).toEqual([0.7, 2])
  })
})

describe('scales', () => {
  it('have a unit for rates, bytes and what a plugin names', () => {
    expect(scaleFor('throughput_per_s', 2500, '1/s')).toMatchObject({ unit: 'k/s', factor: 1e-3, decimals: 2 })
    expect(scaleFor('throughput_per_s', 0.5, '1/s').unit).toBe('/min')
    expect(figure(3, scaleFor('carbon', 3, 'g'), 'en')).toBe('3.00')
  })
})

describe('weights of fewer objectives', () => {
  it('add up to 100 too', () => {
    expect([1, 2, 3].map((n) => defaultWeights(n).reduce((a, b) => a + b))).toEqual([100, 100, 100])
    expect(moveWeight([60, 40], 0, 75)).toEqual([75, 25])
    expect(moveWeight([100], 0, 30)).toEqual([100])
    expect(parseWeights('60,40')).toEqual([60, 40])
    expect(buildModel(two, { ...INITIAL, weights: [20, 30, 50] }).weights).toEqual([60, 40])
  })
})

describe('an earlier front', () => {
  it('is compared by what beats what', () => {
    const before = tableOf({ ...front, plans: [plan(1, 0.41, 0.09, 0.11), plan(2, 0.4, 0.08, 0.1), plan(3, 0.3, 0.04, 0.01)] })
    expect(standing(table, before)).toEqual({ beaten: 1, kept: 1, worse: 6 })
  })

  it('of other objectives is not compared', () => {
    expect(standing(table, tableOf(two))).toBeNull()
  })
})
