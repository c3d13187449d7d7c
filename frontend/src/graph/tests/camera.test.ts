// The camera: a point comes into the middle from left to right, and moves up or down only where it was out of view.
import { describe, expect, it } from 'vitest'

import { centred } from '../camera'

const DRAWING = { width: 10_000, height: 4000 }
const VIEW = { width: 800, height: 400 }

describe('centred', () => {
  it('keeps the height of what is in view', () => {
    const before = { zoom: 1, x: 0, y: -1000 }
    expect(centred(before, 3000, 1100, DRAWING, VIEW)).toEqual({ zoom: 1, x: 400 - 3000, y: -1000 })
  })

  it('keeps it where the zoom grows until names can be read', () => {
    const after = centred({ zoom: 0.35, x: 0, y: -250 }, 3000, 1100, DRAWING, VIEW)
    expect(after.zoom).toBe(0.7)
    expect(1100 * after.zoom + after.y).toBe(1100 * 0.35 - 250)
  })

  it.each([990, 1020, 1380, 3000])('brings height %s, above or below the view or at its edge, to the middle', (y) => {
    const after = centred({ zoom: 1, x: 0, y: -1000 }, 3000, y, DRAWING, VIEW)
    expect(y + after.y).toBe(200)
  })
})
