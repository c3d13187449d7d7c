// The settings form: what is sent, and which fields are wrong.
import { describe, expect, it } from 'vitest'

import { constraintFault, DEFAULT_PLAN_FORM, readPlanForm, wholeNumber } from './planSettings'

describe('readPlanForm', () => {
  it('leaves the population to the engine by default', () => {
    expect(readPlanForm(DEFAULT_PLAN_FORM)).toEqual({
      settings: { fuse: true, generations: 200, seed: 0, makespan_cap: 2 },
      wrong: [],
    })
  })

  it('takes an empty cap as no cap', () => {
    expect(readPlanForm({ ...DEFAULT_PLAN_FORM, cap: ' ' }).settings.makespan_cap).toBeNull()
  })

  it('names every wrong field', () => {
    const bad = { population: '2', generations: '1.5', seed: '-1', cap: 'two', items: '0', rate: '-1' }
    const constraints = [{ objective: 'energy_j', min: '2', max: '1' }]
    expect(readPlanForm({ ...DEFAULT_PLAN_FORM, ...bad, constraints }).wrong).toEqual([
      'population', 'generations', 'seed', 'cap', 'constraints', 'items', 'rate',
    ])
  })

  it('sends objectives, bounds in their API unit and what the pipeline needs', () => {
    const form = {
      ...DEFAULT_PLAN_FORM,
      objectives: ['exec_time_ms', 'throughput_per_s'],
      constraints: [{ objective: 'peak_memory_bytes', min: '', max: '512' }, { objective: 'throughput_per_s', min: '1,000', max: '' }],
      items: '8',
      rate: '120.5',
    }
    expect(readPlanForm(form, { peak_memory_bytes: 'bytes', throughput_per_s: '1/s' })).toMatchObject({
      wrong: [],
      settings: {
        objectives: ['exec_time_ms', 'throughput_per_s'],
        constraints: [
          { objective: 'peak_memory_bytes', min: null, max: 512_000_000 },
          { objective: 'throughput_per_s', min: 1000, max: null },
        ],
        items_in_flight: 8,
        arrival_rate_per_s: 120.5,
      },
    })
  })

  it.each([
    ['', '', 'empty'],
    ['x', '', 'number'],
    ['2', '1', 'order'],
    ['1', '1', null],
    ['', '3', null],
  ])('says of a bound from %j to %j: %j', (min, max, fault) => {
    expect(constraintFault({ objective: 'energy_j', min, max })).toBe(fault)
  })
})

describe('wholeNumber', () => {
  it.each([
    ['7', 7],
    [' 7 ', 7],
    ['0', null],
    ['11', null],
    ['1e1', null],
    ['', null],
  ])('reads %j in 1 to 10 as %j', (text, expected) => {
    expect(wholeNumber(text, 1, 10)).toBe(expected)
  })
})
