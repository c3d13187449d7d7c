// Geometry of the 3-D scene and of the timeline, reasons, comparison.
import { describe, expect, it } from 'vitest'

import { formatsFor } from '../../format/numbers'
import { translateCode } from '../../i18n'
import { isClick, Press } from '../../drawing/click'
import { nearest, project } from '../front/project'
import { gainsOf, reasonParams, reasonVariant, timeText } from '../logic/reason'
import { moveMatrix, movesBetween } from '../compare/moves'
import { operatorScales } from '../work/scales'
import { shownOperator } from '../work/shown'
import { around, idleOf, neighbour, operatorAt, shifted, timelineLayout, timeX, xTime, zoomed } from '../work/timeline-layout'
import { scalesOf } from '../logic/scales'
import { detailOf, devices, front, plans } from './fixture'

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
const first = plans[0] as (typeof plans)[number]
const detail = detailOf(first)

describe('picking in 3-D', () => {
  const camera = { model: identity, view: identity, projection: identity }

  it('puts the origin in the middle and honours the data scale', () => {
    expect(project(camera, [1, 1, 1], [0, 0, 0], 200, 100)).toEqual({ x: 100, y: 50, depth: 0 })
    expect(project(camera, [0.5, 1, 1], [1, 0.5, 0], 200, 100)).toEqual({ x: 150, y: 25, depth: 0 })
  })

  it('sees nothing behind the camera', () => {
    const behind = [...identity]
    behind[15] = -1
    expect(project({ ...camera, projection: behind }, [1, 1, 1], [0, 0, 0], 200, 100)).toBeNull()
  })

  it('takes the nearest point within reach, the front one of two', () => {
    const points = [{ x: 0, y: 0, depth: 0.5 }, { x: 0.5, y: 0, depth: 0.1 }, null, { x: 30, y: 0, depth: 0 }]
    expect(nearest(points, 1, 0, 10)).toBe(1)
    expect(nearest(points, 25, 0, 10)).toBe(3)
    expect(nearest(points, 15, 15, 10)).toBe(-1)
  })

  it('calls it a click only within 5 pixels', () => {
    expect(isClick({ x: 0, y: 0 }, { x: 3, y: 4 })).toBe(true)
    expect(isClick({ x: 0, y: 0 }, { x: 4, y: 4 })).toBe(false)
    expect(isClick(null, { x: 0, y: 0 })).toBe(false)
  })

  it('calls it no click any more when it comes back from a drag', () => {
    const press = new Press()
    press.down({ x: 0, y: 0 })
    press.move({ x: 3, y: 4 })
    expect(press.up({ x: 0, y: 0 })).toBe(true)
    press.down({ x: 0, y: 0 })
    press.move({ x: 9, y: 0 })
    press.move({ x: 0, y: 0 })
    expect(press.up({ x: 0, y: 0 })).toBe(false)
    expect(press.up({ x: 0, y: 0 })).toBe(false)
  })
})

describe('timeline', () => {
  const layout = timelineLayout(detail, devices, 900, 300)
  const whole = { from: 0, to: detail.exec_time_ms }

  it('has a lane a device, used or not, a lane a direction of transfer, and the fullest memory', () => {
    expect(layout.devices.map((l) => l.operators.length)).toEqual([3, 1, 0])
    expect(layout.links.map((l) => [l.source, l.target])).toEqual([[0, 1], [1, 0]])
    expect(layout.memory?.memory.device).toBe('gpu0')
    const edges = [...layout.devices, ...layout.links].map((l) => [l.top, l.top + l.height])
    edges.slice(1).forEach(([top = 0], i) => expect(top).toBeGreaterThanOrEqual(edges[i]?.[1] ?? 0))
  })

  it('maps time to pixels and back', () => {
    expect(timeX(layout, whole, 0)).toBe(layout.left)
    expect(xTime(layout, whole, timeX(layout, whole, 0.25))).toBeCloseTo(0.25, 12)
  })

  it('finds the operator under a pixel', () => {
    const y = (layout.devices[0]?.top ?? 0) + 5
    expect(operatorAt(layout, whole, timeX(layout, whole, 0.15), y)?.name).toBe('left/conv')
    expect(operatorAt(layout, whole, timeX(layout, whole, 0.225), y)).toBeNull()
    expect(operatorAt(layout, whole, layout.left - 5, y)).toBeNull()
  })

  it('zooms around a time and stays inside the plan', () => {
    const near = zoomed(whole, 0.1, 0.5, 0.4)
    expect(near.to - near.from).toBeCloseTo(0.2, 12)
    expect((0.1 - near.from) / 0.2).toBeCloseTo(0.25, 12)
    expect(zoomed(whole, 0.2, 3, 0.4)).toEqual({ from: 0, to: 0.4 })
    expect(shifted({ from: 0, to: 0.1 }, 9, 0.4).to).toBeCloseTo(0.4, 12)
  })

  it('knows when a device that is used does nothing', () => {
    expect(idleOf([], 4)).toEqual([])
    const at = (start_ms: number, end_ms: number) => ({ ...(detail.operators[0] as (typeof detail.operators)[number]), start_ms, end_ms })
    // The first of two that overlap ends last.
    expect(idleOf([at(1, 3), at(1.5, 2), at(3, 3.5)], 4)).toEqual([{ from: 0, to: 1 }, { from: 3.5, to: 4 }])
    expect(idleOf([at(0, 4)], 4)).toEqual([])
  })

  it('shows half a mark more on both of its sides, as far as the plan goes', () => {
    expect(around({ from: 1, to: 4 }, 5)).toEqual({ from: 0, to: 5 })
    expect(around({ from: 2, to: 4 }, 9)).toEqual({ from: 1, to: 5 })
  })

  it('walks along a lane and across lanes', () => {
    const [stem, left, relu] = detail.operators
    expect(neighbour(layout, stem, 'right')?.index).toBe(left?.index)
    expect(neighbour(layout, stem, 'left')?.index).toBe(0)
    expect(neighbour(layout, left, 'down')?.index).toBe(relu?.index)
    expect(neighbour(layout, relu, 'down')?.index).toBe(relu?.index)
    expect(neighbour(layout, undefined, 'right')?.index).toBe(0)
  })

  it('shows the longest critical operator until one is chosen', () => {
    expect(shownOperator(detail, null)?.name).toBe('head/gemm')
    expect(shownOperator(detail, 1)?.name).toBe('left/conv')
    expect(shownOperator(detail, 99)?.name).toBe('head/gemm')
  })

  it('keeps the plan unit for operators', () => {
    expect(operatorScales(detail, scalesOf(front))).toMatchObject({ time: { unit: 'µs' }, clock: { unit: 'µs' }, energy: { unit: 'mJ' } })
  })
})

describe('reasons', () => {
  const f = formatsFor('en')
  const say = (code: string, params: Record<string, unknown>, lang: 'en' | 'zh' = 'en') => {
    const reason = { code, params }
    return translateCode('reason', reasonVariant(reason), reasonParams(reason, devices, formatsFor(lang)), code, lang)
  }

  it('name devices by tag and figures with units, in both languages', () => {
    const params = { device: 'npu0', time_ms: 0.0055, other_time_ms: 0.0086, source: 'roofline' }
    expect(say('fastest_here', params)).toBe('Fastest here: 5.5 µs, next is N0 with 8.6 µs.')
    expect(say('fastest_here', params, 'zh')).toBe('在此最快：5.5 µs，其次 N0 为 8.6 µs。')
    expect(say('others_forbidden', { devices: ['cpu0', 'npu0'] })).toContain('C0, N0')
  })

  it('do not promise speed that is not there', () => {
    expect(say('saves_energy', { device: 'cpu0', saved_j: 0.0003, faster_ms: 0 })).toBe('Saves 300 µJ against C0 at the same plan time.')
    expect(say('saves_energy', { device: 'cpu0', saved_j: 0.0003, faster_ms: 0.01 })).toContain('10 µs faster')
  })

  it('say of joules where they are from', () => {
    const sourced = (joules: string) => `${joules} (estimated)`
    const reason = { code: 'trade_off', params: { device: 'cpu0', saved_j: 0.0003, delta_load_balance: 0.1, faster_ms: 0.01 } }
    const params = reasonParams(reason, devices, f, sourced)
    expect(params).toMatchObject({ saved_j: '300 µJ (estimated)', faster_ms: '10 µs', delta_load_balance: '0.1' })
  })

  it('list what a missed move would gain', () => {
    const reason = { code: 'better_elsewhere', params: { device: 'cpu0', delta_ms: -0.01, delta_j: 0, delta_load_balance: -0.1 } }
    expect(gainsOf(reason).map((g) => g.key)).toEqual(['delta_ms', 'delta_load_balance'])
  })

  it('write times from nanoseconds to seconds', () => {
    expect([0.0000005, 0.0055, 0.757, 12.3, 1500].map((ms) => timeText(ms, f))).toEqual(['0.5 ns', '5.5 µs', '757 µs', '12 ms', '1.5 s'])
  })
})

describe('comparison', () => {
  const other = { ...detail, operators: detail.operators.map((op) => (op.index === 3 ? { ...op, device: 2 } : op)) }

  it('lists the operators that moved and counts all of them', () => {
    expect(movesBetween(other, detail, devices)).toEqual([{ index: 3, name: 'head/gemm', a: 2, b: 0 }])
    expect(movesBetween(detail, detail, devices)).toEqual([])
    expect(moveMatrix(other, detail, 3)).toEqual([[2, 0, 1], [0, 1, 0], [0, 0, 0]])
  })
})
