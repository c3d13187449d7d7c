// Plans on a canvas: what is drawn, in which order and how often the canvas is asked to.
import { describe, expect, it } from 'vitest'

import { lineAt, linePath, type Lines, paintDots, paintRanked, paintRings } from '../front/dots'
import type { Look } from '../front/look'

/** A context that writes down what it is told. */
function recorder() {
  const calls: string[] = []
  const g = {
    fillStyle: '',
    strokeStyle: '',
    lineWidth: 1,
    beginPath: () => calls.push('begin'),
    moveTo: (x: number, y: number) => calls.push(`M${x},${y}`),
    lineTo: (x: number, y: number) => calls.push(`L${x},${y}`),
    arc: (x: number, y: number, r: number) => calls.push(`o${x},${y},${r}`),
    fill: () => calls.push(`fill ${g.fillStyle}`),
    stroke: () => calls.push(`stroke ${g.strokeStyle}`),
  }
  return { calls, g: g as unknown as CanvasRenderingContext2D }
}

const lookOf = (over: Partial<Look>): Look => ({ order: [], out: [], colours: [], sizes: [], ...over })
const at = (x: number, y: number) => ({ x, y })
const style = { radius: 3, outRadius: 2, outColour: 'grey', edge: null }

describe('dots', () => {
  it('are drawn worst first over the removed ones, each in its colour and size; what is out of view is not', () => {
    const { calls, g } = recorder()
    const look = lookOf({ order: [2, 0, 3], out: [1], colours: ['c0', 'c1', 'c2', 'c3'], sizes: [1, 1, 2, 1] })
    paintDots(g, [at(0, 0), at(10, 10), at(20, 20), null], look, style)
    expect(calls.filter((call) => call !== 'begin')).toEqual(['o10,10,2', 'fill grey', 'o0,0,3', 'fill c0', 'o20,20,6', 'fill c2'])
  })

  it('of an earlier front are rings', () => {
    const { calls, g } = recorder()
    paintRings(g, [at(1, 2), null], 'grey')
    expect(calls).toEqual(['begin', 'o1,2,2.5', 'stroke grey'])
  })
})

describe('lines', () => {
  const three: Lines = { xs: Float64Array.of(0, 10, 20), ys: Float64Array.of(0, 0, 0, 5, NaN, 9, 10, 10, 10), count: 3 }

  it('of 2,000 plans are at most 24 paths, best on top, none lost', () => {
    const count = 2000
    const lines: Lines = { xs: Float64Array.of(0, 10), ys: Float64Array.from({ length: 2 * count }, (_, i) => i >> 1), count }
    const { calls, g } = recorder()
    const order = Array.from({ length: count }, (_, i) => i)
    paintRanked(g, lines, lookOf({ order, colours: order.map(String) }))
    expect(calls.filter((call) => call.startsWith('stroke')).length).toBeLessThanOrEqual(24)
    expect(calls.filter((call) => call.startsWith('M'))).toHaveLength(count)
    const last = calls.slice(calls.lastIndexOf('begin'))
    expect(last.slice(1, 4)).toEqual(['M0,0', 'L10,0', 'M0,1'])
  })

  it('of no plan are no path', () => {
    const { calls, g } = recorder()
    paintRanked(g, three, lookOf({}))
    expect(calls).toEqual([])
  })

  it('pass over an axis where a plan has no value', () => {
    expect(linePath(three, 1)).toBe('M0.0 5.0L20.0 9.0')
  })

  it('are found by the pointer: the nearest in height, of two as near one that passes, none beyond the reach', () => {
    expect(lineAt(three, 5, 9, 8, [true, true, true])).toBe(2)
    expect(lineAt(three, 15, 5, 8, [false, true, true])).toBe(2)
    expect(lineAt(three, 15, 5, 8, [true, true, false])).toBe(0)
    expect(lineAt(three, 5, 30, 8, [true, true, true])).toBe(-1)
    // Left and right of the axes the nearest stretch counts on.
    expect(lineAt(three, 40, 9, 8, [true, true, true])).toBe(2)
  })
})
