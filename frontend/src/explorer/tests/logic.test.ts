// Weights, scales, ticks, colours, and what the views draw from.
import { describe, expect, it } from 'vitest'

import { rangesOf } from '../front/axes'
import { relaxed } from '../front/NonePasses'
import { escapeText } from '../front/escape'
import { INITIAL } from '../logic/address'
import { buildModel, kneeOf, presetOf } from '../logic/model'
import { mix } from '../../drawing/colours'
import { rampAt, rankColours } from '../logic/ramp'
import { figure, inputText, multiple, parseInput, scaleFor, scalesOf, signed } from '../logic/scales'
import { histogram, rangeOf, tickDecimals, ticks } from '../logic/ticks'
import { moveWeight, parseWeights } from '../logic/weights'
import { thinned } from '../running/History'
import { front, plan } from './fixture'

describe('weights', () => {
  it('share the rest in proportion and always add up to 100', () => {
    expect(moveWeight([50, 30, 20], 0, 75)).toEqual([75, 15, 10])
    expect(moveWeight([50, 30, 20], 0, 100)).toEqual([100, 0, 0])
    expect(moveWeight([100, 0, 0], 0, 40)).toEqual([40, 30, 30])
    expect(moveWeight([0, 100, 0], 0, 50)).toEqual([50, 50, 0])
    for (let v = 0; v <= 100; v += 1)
      for (const i of [0, 1, 2] as const) expect(moveWeight([34, 33, 33], i, v).reduce((a, b) => a + b)).toBe(100)
  })

  it('clamp what is out of range and ignore what is no number', () => {
    expect(moveWeight([50, 30, 20], 1, 140)).toEqual([0, 100, 0])
    expect(moveWeight([50, 30, 20], 1, -3)[1]).toBe(0)
    expect(moveWeight([50, 30, 20], 1, Number.NaN)).toEqual([50, 30, 20])
  })

  it('are read from an address only when they add up', () => {
    expect(parseWeights('10,20,70')).toEqual([10, 20, 70])
    for (const text of [null, '', '10,20', '10,20,80', '-10,40,70', '1e1,20,70', 'a,b,c']) expect(parseWeights(text)).toBeNull()
  })
})

describe('scales', () => {
  it('choose the largest unit in which the value is at least 1', () => {
    const unit = (ms: number) => scaleFor('exec_time_ms', ms).unit
    expect([0.0000004, 0.0004, 0.757, 1, 999, 1000].map(unit)).toEqual(['ns', 'ns', 'µs', 'ms', 'ms', 's'])
    expect(scaleFor('energy_j', 0.0594)).toMatchObject({ unit: 'mJ', decimals: 1 })
    expect(scaleFor('peak_memory_bytes', 34e9)).toMatchObject({ unit: 'GB', decimals: 1 })
  })

  it('use one unit for the whole front, from the default plan', () => {
    const scales = scalesOf(front)
    expect(scales.exec_time_ms).toMatchObject({ unit: 'µs', decimals: 0 })
    expect(figure(1.2, scales.exec_time_ms, 'en')).toBe('1,200')
    expect(figure(0.05, scales.energy_j, 'en')).toBe('50.0')
  })

  it('never show a small positive figure as 0', () => {
    const scale = scaleFor('load_balance', 0.2)
    expect(figure(0.0001, scale, 'en')).toBe('< 0.001')
    expect(figure(0, scale, 'en')).toBe('0.000')
  })

  it('sign differences with a true minus and no sign for nothing', () => {
    const scale = scaleFor('exec_time_ms', 0.757)
    expect([0.01, -0.01, 0.0000001].map((d) => signed(d, scale, 'en'))).toEqual(['+10', '−10', '0'])
    expect(multiple(0.7, 'en')).toBe('× 0.70')
  })

  it('read inputs in display units and refuse the rest', () => {
    const scale = scaleFor('exec_time_ms', 0.757)
    expect(parseInput('700', scale)).toEqual({ ok: true, value: 0.7 })
    expect(parseInput(' 1,200 µs ', scale)).toEqual({ ok: true, value: 1.2 })
    expect(parseInput('', scale)).toEqual({ ok: true, value: null })
    for (const text of ['x', '-3', '1..2', 'NaN', 'Infinity', '12 ms']) expect(parseInput(text, scale).ok).toBe(false)
    expect(inputText(0.7, scale)).toBe('700')
    expect(inputText(null, scale)).toBe('')
  })
})

describe('ticks and ranges', () => {
  it('are round and inside', () => {
    expect(ticks(0, 527, 5)).toEqual([0, 100, 200, 300, 400, 500])
    expect(ticks(0.02, 0.13, 5)).toEqual([0.02, 0.04, 0.06, 0.08, 0.1, 0.12])
    expect(tickDecimals([0.02, 0.04])).toBe(2)
    expect(tickDecimals([500, 1000])).toBe(0)
    expect(tickDecimals([0.1])).toBe(1)
    expect(tickDecimals([440])).toBe(0)
  })

  it('keep a constant axis at its value instead of stretching noise', () => {
    expect(rangeOf([2, 2, 2])).toEqual({ lo: 1.8, hi: 2.2, constant: true, at: 2 })
    expect(rangeOf([0, 0], 0.04, 0)).toEqual({ lo: 0, hi: 0.5, constant: true, at: 0 })
    expect(rangeOf([1, 1 + 1e-12]).constant).toBe(true)
    expect(rangeOf([]).constant).toBe(true)
    expect(rangeOf([1, Number.NaN, 3])).toEqual({ lo: 1, hi: 3, constant: false, at: 2 })
  })

  it('count every value once', () => {
    expect(histogram([0, 1, 2, 3, 4], { lo: 0, hi: 4, constant: false, at: 2 }, 4)).toEqual([1, 1, 1, 2])
    expect(histogram([5, 5], rangeOf([5, 5]), 4).reduce((a, b) => a + b)).toBe(2)
  })
})

describe('colours', () => {
  it('run from worst to best by rank and leave removed plans out', () => {
    expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080')
    expect(rampAt(['#000000', '#808080', '#ffffff'], 0.75)).toBe('#c0c0c0')
    expect(rankColours(3, [2, 0], ['#000000', '#ffffff'], 'out')).toEqual(['#000000', 'out', '#ffffff'])
  })

  it('escape text for plotly', () => {
    expect(escapeText('<a href="https://x">b</a>')).toBe('&lt;a href="https\u2236//x"&gt;b&lt;/a&gt;')
  })
})

describe('model', () => {
  it('follows the weights until a plan is picked', () => {
    expect(buildModel(front, INITIAL)).toMatchObject({ a: 1, picked: false, rank: 0 })
    const picked = buildModel(front, { ...INITIAL, a: front.plans[4]?.hash.slice(0, 12) ?? '' })
    expect(picked).toMatchObject({ a: 4, picked: true, rank: 4 })
  })

  it('says when the picked plan is gone and follows the weights again', () => {
    expect(buildModel(front, { ...INITIAL, a: 'ffffffffffff' })).toMatchObject({ a: 1, picked: false, lost: true })
  })

  it('never chooses the same plan for B by itself', () => {
    const model = buildModel(front, { ...INITIAL, weights: [0, 100, 0] })
    expect(model.a).toBe(5)
    expect(model.b).toBe(0)
    expect(buildModel({ ...front, plans: front.plans.slice(0, 1) }, INITIAL).b).toBe(-1)
  })

  it('offers presets among the passing plans, the knee from the server when nothing is removed', () => {
    const open = buildModel(front, INITIAL)
    expect(['exec_time_ms', 'energy_j', 'load_balance', 'throughput_per_s', 'knee'].map((k) => presetOf(open, k))).toEqual([0, 5, 3, 0, 1])
    const bound = buildModel(front, { ...INITIAL, bounds: { energy_j: { min: null, max: 0.056 } } })
    expect(presetOf(bound, 'exec_time_ms')).toBe(2)
    expect(bound.selection.passing[kneeOf(bound)]).toBe(true)
  })

  it('fits the axes to the passing plans and keeps A and B inside', () => {
    const model = buildModel(front, { ...INITIAL, bounds: { exec_time_ms: { min: null, max: 0.5 } } })
    expect(rangesOf(model, ['exec_time_ms'], true, 0, null).exec_time_ms).toMatchObject({ lo: 400, hi: 480 })
    expect(rangesOf(model, ['exec_time_ms'], false, 0, null).exec_time_ms).toMatchObject({ lo: 400, hi: 1200 })
  })

  it('stands on an empty front', () => {
    expect(buildModel({ ...front, plans: [], knee: null }, INITIAL)).toMatchObject({ a: -1, b: -1, rank: -1 })
  })
})

it('relaxes a bound to a round value that the plan meets', () => {
  const scale = scaleFor('exec_time_ms', 0.757)
  expect(relaxed(0.4786, 'max', scale)).toBe(0.479)
  expect(relaxed(0.4786, 'min', scale)).toBe(0.478)
  expect(relaxed(0.479, 'max', scale)).toBe(0.479)
})

it('thins a long history but keeps its ends', () => {
  const rows = thinned(Array.from({ length: 201 }, (_, i) => i))
  expect(rows).toHaveLength(40)
  expect([rows[0], rows.at(-1)]).toEqual([0, 200])
  expect(thinned([1, 2])).toEqual([1, 2])
  expect(plan(9, 1, 1, 1).hash).toHaveLength(64)
})
