// The settings form: what is sent, and which fields are wrong.
import { describe, expect, it } from 'vitest'

import { DEFAULT_PLAN_FORM, readPlanForm, wholeNumber } from './planSettings'

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
    const form = { population: '2', generations: '1.5', seed: '-1', cap: 'two', fuse: false }
    expect(readPlanForm(form).wrong).toEqual(['population', 'generations', 'seed', 'cap'])
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
