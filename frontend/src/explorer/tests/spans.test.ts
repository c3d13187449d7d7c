// Bars of a lane: which are in view, and how short ones become one.
import { describe, expect, it } from 'vitest'

import type { PlanOperator } from '../types'
import { memoryLine, type MemoryPoints } from '../work/memory-line'
import { type Bar, inView, mergedBars, spansOf } from '../work/spans'

const lane = (...times: readonly (readonly [number, number])[]) =>
  times.map(([start_ms, end_ms], index) => ({ index, start_ms, end_ms })) as unknown as PlanOperator[]

describe('bars in view', () => {
  it('are all that touch the window, also one that began long before it', () => {
    const spans = spansOf(lane([0, 100], [1, 2], [3, 4], [50, 60], [60, 60], [70, 80]))
    expect(inView(spans, 52, 60)).toEqual({ from: 0, to: 5 })
    expect(inView(spans, 101, 200)).toEqual({ from: 6, to: 6 })
    const apart = spansOf(lane([0, 1], [1, 2], [2, 3], [3, 4]))
    expect(inView(apart, 1.5, 2.5)).toEqual({ from: 1, to: 3 })
    expect(inView(apart, -5, -1)).toEqual({ from: 0, to: 0 })
    expect(inView(spansOf([]), 0, 1)).toEqual({ from: 0, to: 0 })
  })

  it('are few of 20,000', () => {
    const many = spansOf(lane(...Array.from({ length: 20_000 }, (_, i) => [i, i + 1] as const)))
    expect(inView(many, 7000.5, 7009.5)).toEqual({ from: 7000, to: 7010 })
  })
})

describe('bars', () => {
  const bars = (times: readonly (readonly [number, number])[], scale: number, marked: (at: number) => boolean = () => false) => {
    const drawn: Bar[] = []
    const spans = spansOf(lane(...times))
    mergedBars(spans, { from: 0, to: times.length }, (ms) => ms * scale, marked, (at) => at === 2, (bar) => drawn.push(bar))
    return drawn
  }

  it('of a pixel and more stand alone; without length there are none', () => {
    expect(bars([[0, 2], [2, 2], [2, 3]], 1)).toEqual([
      { left: 0, right: 2, at: 0, marked: false, special: false },
      { left: 2, right: 3, at: 2, marked: false, special: true },
    ])
  })

  it('of less become one of at most a pixel, in the colour of most of their time', () => {
    expect(bars([[0, 3], [3, 4], [4, 5]], 0.2, (at) => at === 0)).toEqual([{ left: 0, right: 1, at: -1, marked: true, special: true }])
    expect(bars([[0, 2], [2, 4], [4, 5]], 0.2, (at) => at === 0)[0]?.marked).toBe(false)
  })

  it('are not joined over a gap that can be seen', () => {
    expect(bars([[0, 1], [9, 10]], 0.1).map(({ left, right, at }) => [left, right, at])).toEqual([[0, 0.1, 0], [0.9, 1, 1]])
  })

  it('of 20,000 operators are no more than there are pixels, and cover all of their time', () => {
    const drawn = bars(Array.from({ length: 20_000 }, (_, i) => [i, i + 1] as const), 1000 / 20_000)
    expect(drawn.length).toBeLessThanOrEqual(1053)
    expect(drawn[0]?.left).toBe(0)
    expect(drawn.at(-1)?.right).toBeCloseTo(1000, 9)
    drawn.slice(1).forEach((bar, i) => expect(bar.left - (drawn[i]?.right ?? 0)).toBeLessThan(1e-9))
  })
})

describe('the line of memory', () => {
  const corners = (points: MemoryPoints, from: number, to: number, scale = 1) => {
    const drawn: [number, number][] = []
    memoryLine(points, { from, to }, (ms) => (ms - from) * scale, (x, bytes) => drawn.push([x, bytes]))
    return drawn
  }
  const steps: MemoryPoints = [[0, 5], [10, 8], [20, 3], [30, 0]]

  it('goes through every step', () => {
    expect(corners(steps, 0, 30)).toEqual([[0, 5], [10, 5], [10, 8], [20, 8], [20, 3], [30, 3], [30, 0], [30, 0]])
  })

  it('begins with what is held at the left edge and ends at the right one', () => {
    const drawn = corners(steps, 12, 19)
    expect(drawn).toEqual([[0, 8], [7, 8]])
  })

  it('keeps the peak and the least of all changes within a pixel', () => {
    const dense: MemoryPoints = Array.from({ length: 5000 }, (_, i) => [i, i === 2500 ? 99 : i % 3])
    const drawn = corners(dense, 0, 5000, 0.02)
    expect(drawn.length).toBeLessThan(410)
    expect(Math.max(...drawn.map(([, bytes]) => bytes))).toBe(99)
    expect(Math.min(...drawn.map(([, bytes]) => bytes))).toBe(0)
  })
})
