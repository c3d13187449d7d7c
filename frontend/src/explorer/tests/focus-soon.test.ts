// The search field takes the focus although its pane is drawn later.
import { expect, it, vi } from 'vitest'

import { focusSoon } from '../state/focus-soon'

it('waits for the element, and gives up after a while', () => {
  vi.useFakeTimers()
  focusSoon('late')
  vi.advanceTimersByTime(500)
  const input = document.createElement('input')
  input.id = 'late'
  document.body.append(input)
  vi.advanceTimersByTime(50)
  expect(document.activeElement).toBe(input)
  focusSoon('never')
  vi.advanceTimersByTime(10_000)
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})
