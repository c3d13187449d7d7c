// The state in the address: reading, writing, gestures and undo.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { INITIAL, parseAddress, withBound, writeAddress } from '../logic/address'
import { type AddressHistory, AddressStore, GESTURE_MS } from '../state/address-store'

describe('address', () => {
  it('is empty for the initial state', () => {
    expect(writeAddress(INITIAL)).toBe('')
    expect(parseAddress('')).toEqual(INITIAL)
  })

  it('goes there and back', () => {
    const state = {
      ...INITIAL,
      weights: [20, 20, 60] as const,
      bounds: { exec_time_ms: { min: null, max: 0.7 }, peak_memory_bytes: { min: 1e6, max: 2e9 } },
      a: '74fb3e1683b7',
      b: '123456789012',
      operator: 0,
      tab: 'compare' as const,
      view: 'table' as const,
      fit: true,
      place: 'work' as const,
      zoom: { from: 0, to: 1.25e-7 },
      mark: { from: 0.12, to: 0.36 },
      lane: 'gpu 0',
      rows: true,
      difference: true,
      find: 'conv & 3',
    }
    expect(parseAddress(writeAddress(state))).toEqual(state)
  })

  it('survives what others may write into it', () => {
    const query = 'w=200-0-0&max_t=abc&min_e=-1&a=<script>&op=-4&tab=none&view=&fit=yes&at=moon&b=%22123456789012%22'
    expect(parseAddress(query)).toEqual({ ...INITIAL, b: '123456789012' })
    expect(parseAddress('zoom=3-2&mark=1-&lane=')).toEqual(INITIAL)
    expect(parseAddress('zoom=-1-2&mark=1e999-2').zoom).toBeNull()
    expect(parseAddress('min_t=5&max_t=4').bounds).toEqual({})
  })

  it('drops a bound without sides', () => {
    expect(withBound({ energy_j: { min: 1, max: 2 } }, 'energy_j', { min: null, max: null })).toEqual({})
  })
})

/** A browser history in memory. */
function memory(): AddressHistory & { entries: string[]; go: (by: number) => void } {
  const entries = ['']
  let at = 0
  const listeners = new Set<() => void>()
  const go = (by: number) => {
    at += by
    listeners.forEach((listener) => listener())
  }
  return {
    entries,
    go,
    read: () => entries[at] ?? '',
    push: (query) => {
      entries.splice(at + 1, entries.length, query)
      at += 1
    },
    back: () => go(-1),
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

describe('AddressStore', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('shows each step of a gesture at once and writes one entry for all of them', () => {
    const history = memory()
    const store = new AddressStore(history)
    store.attach()
    for (const v of [60, 70, 80]) store.update({ weights: [v, 100 - v, 0] }, 'gesture')
    expect(store.get().weights).toEqual([80, 20, 0])
    expect(history.entries).toEqual([''])
    vi.advanceTimersByTime(GESTURE_MS)
    expect(history.entries).toEqual(['', 'w=80-20-0'])
  })

  it('closes an open gesture before the next change', () => {
    const history = memory()
    const store = new AddressStore(history)
    store.update({ weights: [80, 20, 0] }, 'gesture')
    store.update({ tab: 'operators' })
    expect(history.entries).toEqual(['', 'w=80-20-0', 'w=80-20-0&tab=operators'])
  })

  it('walks back through its own entries only', () => {
    const history = memory()
    const store = new AddressStore(history)
    store.attach()
    store.update({ tab: 'operators' })
    store.update({ fit: true })
    expect(store.undo()).toBe(true)
    expect(store.get()).toMatchObject({ tab: 'operators', fit: false })
    expect(store.undo()).toBe(true)
    expect(store.get()).toEqual(INITIAL)
    expect(store.undo()).toBe(false)
  })

  it('writes nothing when nothing changed', () => {
    const history = memory()
    const store = new AddressStore(history)
    store.update({ tab: 'timeline' })
    expect(history.entries).toHaveLength(1)
  })
})
