// Answers that were asked for before somebody wanted them: taken once, and asked for again where they are of no use.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { askAhead, endAhead, takeAhead } from './ahead'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

describe('an answer asked for ahead', () => {
  it('is asked for once and taken once', async () => {
    const ask = vi.fn(() => Promise.resolve('early'))
    askAhead('a', ask)
    askAhead('a', ask)
    const late = vi.fn(() => Promise.resolve('late'))
    expect(await takeAhead('a', late)).toBe('early')
    expect(ask).toHaveBeenCalledTimes(1)
    expect(await takeAhead('a', late)).toBe('late')
  })

  it('is asked for again where it failed, is too old, or nobody took it for long', async () => {
    const late = () => Promise.resolve(2)
    askAhead('b', () => Promise.reject(new Error('no session')))
    expect(await takeAhead('b', late)).toBe(2)
    askAhead('c', () => Promise.resolve(1))
    expect(await takeAhead('c', late, (revision) => revision >= 2)).toBe(2)
    askAhead('d', () => Promise.resolve(1))
    vi.advanceTimersByTime(60_000)
    expect(await takeAhead('d', late)).toBe(2)
  })

  it('is not asked for once the session is known: a link that is pointed at, or a search just started, asks for nothing', async () => {
    endAhead()
    const ask = vi.fn(() => Promise.resolve('early'))
    askAhead('e', ask)
    expect(ask).not.toHaveBeenCalled()
    expect(await takeAhead('e', () => Promise.resolve('late'))).toBe('late')
  })
})
