// Figures, units and ticks.
import { describe, expect, it } from 'vitest'

import { formatsFor, splitUnit } from './numbers'
import { energyUnit, ticks, timeUnit } from './scales'
import { fromInput, toInput, UNITS } from './units'

const en = formatsFor('en')

describe('figures', () => {
  it('scales bytes and FLOPs by powers of a thousand', () => {
    expect([0, 999, 1000, 13_980_000, 999_600_000].map(en.bytes)).toEqual(['0 B', '999 B', '1.00 KB', '14.0 MB', '1.00 GB'])
    expect(en.flops(2.87e9)).toBe('2.87 GFLOP')
    expect(splitUnit(en.bytes(256e9))).toEqual(['256', 'GB'])
  })

  it('writes multiples with two digits and unknown ones as a dash', () => {
    expect([0.7, 1.125, null, undefined].map(en.multiple)).toEqual(['× 0.70', '× 1.13', '–', '–'])
  })

  it('keeps three significant digits and never more', () => {
    expect([0, 0.012345, 1234.5, 312_000].map((value) => en.figure(value))).toEqual(['0', '0.0123', '1,235', '312,000'])
  })

  it('does not round small figures to nothing', () => {
    expect([0, 0.04, 0.06].map((value) => en.least(value, 1))).toEqual(['0.0', '< 0.1', '0.1'])
    expect(en.least(0.2, 0)).toBe('< 1')
  })

  it('counts seconds in the language of the page', () => {
    expect(en.seconds(65)).toBe('1 min 5 s')
    expect(en.seconds(9486)).toBe('2 h 38 min')
    expect(formatsFor('zh').seconds(3.4)).toBe('3 秒')
  })
})

describe('units of a search', () => {
  it('takes one unit from the size of the default plan', () => {
    expect(timeUnit(0.757)).toEqual({ label: 'µs', factor: 1e3 })
    expect([timeUnit(9.9).label, timeUnit(10).label, timeUnit(25_000).label]).toEqual(['µs', 'ms', 's'])
    expect([energyUnit(0.059).label, energyUnit(3).label, energyUnit(2e-5).label]).toEqual(['mJ', 'J', 'µJ'])
  })

  it('makes round ticks inside the range', () => {
    expect(ticks(440, 1560, 4)).toEqual([500, 1000, 1500])
    expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(ticks(3, 3, 4)).toEqual([3])
  })
})

describe('inputs', () => {
  it('round-trips a stored figure through its shown unit', () => {
    for (const [stored, unit] of [
      [312_000, UNITS.tflopPerS],
      [40_000_000_000, UNITS.gigabytes],
      [19_500.5, UNITS.tflopPerS],
      [0.1 + 0.2, UNITS.watts],
    ] as const) {
      expect(fromInput(toInput(stored, unit), unit)).toBeCloseTo(stored, 9)
    }
    expect(toInput(40e9, UNITS.gigabytes)).toBe('40')
  })

  it('reads empty as nothing, grouping commas away, and nonsense as no number', () => {
    expect(fromInput('  ', UNITS.watts)).toBeNull()
    expect(fromInput('1,555', UNITS.gbPerS)).toBe(1555)
    expect(fromInput('12 W', UNITS.watts)).toBeNaN()
  })
})
