// Several items in flight on the timeline: where each bar is, how items are told apart, when they are shown.
import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { parseAddress, writeAddress } from '../logic/address'
import { criticalOf } from '../logic/lookup'
import type { ItemsInFlight, Search } from '../types'
import { flightIndex, flightOf, fromFlight, isPipelined, patternOf, PATTERNS } from '../work/in-flight'
import { neighbour, timelineLayout } from '../work/timeline-layout'
import { detailOf, plan, plans } from './fixture'
import { renderExplorer, stubScreen } from './harness'

const base = detailOf(plans[1] ?? plan(2, 0.48, 0.06, 0.08))
const count = base.operators.length

/** Each item begins 0.2 ms after the one before. */
function itemsOf(items: number): ItemsInFlight {
  const times = (key: 'start_ms' | 'end_ms') =>
    Array.from({ length: items }, (_, item) => base.operators.map((op) => op[key] + item * 0.2))
  return {
    items,
    asked: 32,
    arrival_rate_per_s: null,
    arrival_ms: Array.from({ length: items }, () => 0),
    finish_ms: Array.from({ length: items }, (_, item) => 0.48 + item * 0.2),
    start_ms: times('start_ms'),
    end_ms: times('end_ms'),
    transfers: [],
    memory: [{ device: 'gpu0', limit_bytes: 4000, peak_bytes: 3000, points: [[0, 1000], [0.2, 3000], [0.88, 0]] }],
    critical_path: [[0, 0], [items - 1, 1]],
  }
}

describe('items in flight', () => {
  it('are bars of their own, which lead back to the item and the operator', () => {
    const flight = flightOf(base, itemsOf(3))
    expect(flight.detail.operators).toHaveLength(3 * count)
    expect(new Set(flight.detail.operators.map((op) => op.index)).size).toBe(3 * count)
    const last = flight.detail.operators.find((op) => op.index === flightIndex(flight, 2, 1))
    expect(last?.name).toBe(base.operators[1]?.name)
    expect(last?.start_ms).toBeCloseTo((base.operators[1]?.start_ms ?? 0) + 0.4)
    expect(fromFlight(flight, flightIndex(flight, 2, 1))).toEqual({ item: 2, operator: 1 })
    expect(flight.detail.exec_time_ms).toBeCloseTo(0.88)
    expect(flight.detail.memory[0]?.peak_bytes).toBe(3000)
    expect([...criticalOf(flight.detail)]).toEqual([flightIndex(flight, 0, 0), flightIndex(flight, 2, 1)])
  })

  it('are walked along a lane one after another', () => {
    const flight = flightOf(base, itemsOf(3))
    const layout = timelineLayout(flight.detail, [{ name: 'gpu0', tag: 'G0', slot: 1, display_name: '', device_type: 'GPU' }], 900, 300)
    const lane = layout.devices[0]?.operators ?? []
    let at = lane[0]
    const walked = [at?.index]
    for (let i = 1; i < lane.length; i += 1) walked.push((at = neighbour(layout, at, 'right') ?? undefined)?.index)
    expect(walked).toEqual(lane.map((op) => op.index))
  })

  it('differ in pattern from the three that follow, inside their bars', () => {
    const drawn = Array.from({ length: PATTERNS }, (_, i) => JSON.stringify(patternOf(i + 1, 10, 4, 40, 20)))
    expect(new Set(drawn).size).toBe(PATTERNS)
    expect(JSON.stringify(patternOf(1 + PATTERNS, 10, 4, 40, 20))).toBe(drawn[0])
    for (let item = 1; item <= PATTERNS; item += 1) {
      for (const [x, y, w, h] of patternOf(item, 10, 4, 5000, 20)) {
        expect(x >= 10 && y >= 4 && x + w <= 5010 && y + h <= 24.001).toBe(true)
      }
      expect(patternOf(item, 10, 4, 5000, 20).length).toBeLessThanOrEqual(100)
    }
  })

  it('belong to searches about a pipeline', () => {
    const of = (settings: object) => isPipelined({ settings: { objectives: ['exec_time_ms'], constraints: [], ...settings } as unknown as Search['settings'] }, (key) => ({ step_time_ms: 'pipeline' })[key])
    expect(of({})).toBe(false)
    expect(of({ items_in_flight: 8 })).toBe(true)
    expect(of({ arrival_rate_per_s: 0.5 })).toBe(true)
    expect(of({ objectives: ['throughput_per_s'] })).toBe(true)
    expect(of({ objectives: ['step_time_ms'] })).toBe(true)
    expect(of({ constraints: [{ objective: 'step_time_ms', min: null, max: 3 }] })).toBe(true)
  })

  it('stand in the address', () => {
    expect(parseAddress('items=1').items).toBe(true)
    expect(writeAddress(parseAddress('items=0'))).toBe('items=0')
    expect(parseAddress('items=7').items).toBeNull()
  })
})

describe('the timeline', () => {
  beforeEach(() => {
    stubScreen()
    vi.stubGlobal('fetch', (request: Request) =>
      Promise.resolve(
        new URL(request.url).pathname.endsWith('/items/')
          ? new Response(JSON.stringify(itemsOf(3)), { headers: { 'Content-Type': 'application/json' } })
          : new Response('{"error":{"code":"not_found","message":""}}', { status: 404 }),
      ),
    )
  })

  it('shows one item until several are asked for, as a chart and as a table', async () => {
    const { history } = await renderExplorer({ query: `?a=${base.hash.slice(0, 12)}&op=1` })
    fireEvent.click(screen.getByText('Items in flight'))
    const button = await screen.findByText('3 of 32 items in flight')
    expect(screen.getByTestId('timeline').getAttribute('aria-label')).toContain('with 3 items in flight')
    expect(history.location.search).toContain('items=1')
    expect(button.closest('button')?.getAttribute('aria-pressed')).toBe('true')
    fireEvent.click(screen.getByText('Show as table'))
    expect(screen.getByText('Item').tagName).toBe('TH')
    // What all items hold together against the limit, and which of their operators the last end hangs on.
    expect(screen.getByText('3.00 KB').textContent).toContain('limit')
    expect(screen.getAllByText('●').length).toBeGreaterThan(0)
  }, 15_000)
})
