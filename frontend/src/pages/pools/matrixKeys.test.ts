// Moving over the heat map of links by keys.
import { describe, expect, it } from 'vitest'

import { nextCell, tint } from './matrixKeys'

describe('nextCell', () => {
  it('moves by arrows and steps over the diagonal', () => {
    expect(nextCell({ row: 0, column: 1 }, 'ArrowRight', 4)).toEqual({ row: 0, column: 2 })
    expect(nextCell({ row: 1, column: 0 }, 'ArrowRight', 4)).toEqual({ row: 1, column: 2 })
    expect(nextCell({ row: 0, column: 1 }, 'ArrowDown', 4)).toEqual({ row: 2, column: 1 })
  })
  it('stays at the border and for other keys', () => {
    expect(nextCell({ row: 0, column: 3 }, 'ArrowRight', 4)).toBeNull()
    expect(nextCell({ row: 0, column: 1 }, 'ArrowLeft', 4)).toBeNull()
    expect(nextCell({ row: 2, column: 3 }, 'ArrowDown', 4)).toBeNull()
    expect(nextCell({ row: 0, column: 1 }, 'a', 4)).toBeNull()
  })
  it('goes to the ends of a row, beside the diagonal', () => {
    expect(nextCell({ row: 0, column: 2 }, 'Home', 4)).toEqual({ row: 0, column: 1 })
    expect(nextCell({ row: 3, column: 0 }, 'End', 4)).toEqual({ row: 3, column: 2 })
  })
})

it('tints logarithmically', () => {
  expect([tint(1, 1, 100), tint(10, 1, 100), tint(100, 1, 100)]).toEqual([0, 18, 36])
  expect(tint(5, 5, 5)).toBe(18)
})
