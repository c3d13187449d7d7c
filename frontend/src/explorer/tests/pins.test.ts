// Pins and forbidden devices: in the address, as settings of the next search, and where they contradict each other.
import { describe, expect, it } from 'vitest'

import { parseAddress, INITIAL, writeAddress } from '../logic/address'
import { byDevice, conflictOf, parseForbidden, parsePins, settingsOf, steeringOf, withPins, writeForbidden, writePins } from '../logic/pins'
import { byScope, byType, notOn } from '../steer/groups'
import { againBody } from '../steer/again'
import { detailOf, devices, plans, search } from './fixture'

const { operators } = detailOf(plans[0] as (typeof plans)[number])

describe('pins in the address', () => {
  it('go there and back, runs as ranges', () => {
    const pins = { 0: 1, 1: 1, 2: 1, 7: 1, 40: 0, 41: 2 }
    expect(writePins(pins)).toBe('0.14~1.0-2.7~2.15')
    expect(parsePins(writePins(pins))).toEqual(pins)
    const state = { ...INITIAL, pins, forbidden: [2], over: 'c0ffee00-0000-4000-8000-000000000001' }
    expect(parseAddress(writeAddress(state))).toEqual(state)
  })

  it('say none apart from as before', () => {
    expect([writePins({}), parsePins('none'), parsePins(null)]).toEqual(['none', {}, null])
    expect([writeForbidden([]), parseForbidden('none'), parseForbidden(null)]).toEqual(['none', [], null])
  })

  it('survive what others may write into it', () => {
    for (const text of ['', '0', '0.', 'x y', '0.1~', '0.1-', '<b>', '0.zzzz', '0.1--2']) expect(parsePins(text)).toBeNull()
    for (const text of ['', '-1', '1..2', 'a b']) expect(parseForbidden(text)).toBeNull()
    expect(parseForbidden('2.0.2')).toEqual([0, 2])
    expect(parseAddress('over=javascript').over).toBeNull()
  })

  it('keep 5,000 scattered pins below 24 KB', () => {
    const pins = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [2 * i, i % 2]))
    expect(writePins(pins).length).toBeLessThan(24_000)
    expect(parsePins(writePins(pins))).toEqual(pins)
  })
})

describe('pins of a search', () => {
  it('are set, moved and taken away', () => {
    const pins = withPins(withPins({}, [0, 3], 1), [3], 2)
    expect(pins).toEqual({ 0: 1, 3: 2 })
    expect([...byDevice(pins)]).toEqual([[1, [0]], [2, [3]]])
    expect(withPins(pins, [0, 3], null)).toEqual({})
  })

  it('are read by name, of the operator or of one that is fused into it', () => {
    const fused = operators.map((op) => (op.index === 3 ? { ...op, members: ['head/gemm', 'head/bias'] } : op))
    const told = { settings: { ...search.settings, pins: { 'stem/conv': 'npu0', 'head/bias': 'cpu0', gone: 'cpu0' }, forbidden_devices: ['gpu0'] } }
    expect(steeringOf(told, fused, devices)).toEqual({ pins: { 0: 2, 3: 1 }, forbidden: [0] })
  })

  it('are sent by name with the settings of the search and the front that it starts from', () => {
    const body = againBody(search, { pins: { 0: 1 }, forbidden: [2] }, operators, devices, 40)
    expect(body).toMatchObject({
      model: search.model.id,
      pool: search.pool.id,
      warm_start: search.id,
      settings: { pins: { 'stem/conv': 'cpu0' }, forbidden_devices: ['npu0'], generations: 40, seed: 5, makespan_cap: 2 },
    })
    expect(Object.keys(body.settings)).not.toContain('arrival_rate_per_s')
    expect(settingsOf({ pins: { 99: 0 }, forbidden: [9] }, operators, devices)).toEqual({ pins: {}, forbidden_devices: [] })
  })

  it('contradict a forbidden device, and so do all devices forbidden', () => {
    expect(conflictOf({ pins: { 0: 1, 2: 1 }, forbidden: [1] }, 3)).toEqual({ code: 'pinned_to_forbidden', device: 1, operators: [0, 2] })
    expect(conflictOf({ pins: {}, forbidden: [0, 1, 2] }, 3)?.code).toBe('all_forbidden')
    expect(conflictOf({ pins: { 0: 1 }, forbidden: [2] }, 3)).toBeNull()
  })
})

describe('groups of operators', () => {
  it('are by type, most first, and by scope', () => {
    expect(byType(operators).map(({ name, indices }) => [name, indices.length])).toEqual([['Conv', 2], ['Gemm', 1], ['Relu', 1]])
    const scoped = operators.map((op, i) => ({ ...op, scope: i === 0 ? 'stem' : 'block/left' }))
    expect(byScope(scoped)).toEqual([{ name: 'block', indices: [1, 2, 3] }, { name: 'block/left', indices: [1, 2, 3] }])
  })

  it('leave out what does not run on a device', () => {
    const alone = operators.map((op) => ({
      ...op,
      alternatives: op.index === 1 ? (op.alternatives?.map((a) => ({ ...a, code: 'not_supported' as const })) ?? null) : op.alternatives,
    }))
    expect(notOn(alone, [0, 1, 2], 1)).toEqual([1])
  })
})
