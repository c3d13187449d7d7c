// Discs written as pixels: where they are, how their rims are smoothed, and what lies over what.
import { describe, expect, it } from 'vitest'

import { DotRaster, paintDisc } from '../front/dot-raster'

const RED = 0x0000ff
const BLUE = 0xff0000
const alpha = (word: number | undefined) => (word ?? 0) >>> 24

function image(width: number, height: number, ...discs: [x: number, y: number, radius: number, colour: number][]) {
  const words = new Uint32Array(width * height)
  for (const [x, y, radius, colour] of discs) paintDisc(words, width, height, x, y, radius, colour)
  return words
}

describe('discs as pixels', () => {
  it('cover as much as a disc does, all of it where they are', () => {
    const words = image(20, 20, [10, 10, 5, RED])
    const covered = words.reduce((sum, word) => sum + alpha(word) / 255, 0)
    expect(covered).toBeGreaterThan(Math.PI * 25 * 0.98)
    expect(covered).toBeLessThan(Math.PI * 25 * 1.02)
    expect(words[10 * 20 + 10]).toBe(0xff0000ff)
    expect(words[10 * 20 + 3]).toBe(0)
    // Its rim is the same on all four sides.
    expect(new Set([words[10 * 20 + 4], words[10 * 20 + 15], words[4 * 20 + 10], words[15 * 20 + 10]]).size).toBe(1)
  })

  it('keep what is inside the image and lie over those before', () => {
    const words = image(4, 3, [0, 0, 2, RED], [4, 3, 1.5, BLUE], [0, 0, 1.3, BLUE], [-50, -50, 3, RED])
    expect(words[0]).toBe(0xffff0000)
    expect(words[1]).not.toBe(0)
    expect(alpha(words[11])).toBe(255)
    expect(words[11]).toBe(0xffff0000)
    expect(words).toHaveLength(12)
  })

  it('mix half covered pixels with what is below, which stays whole', () => {
    const words = image(9, 9, [4.5, 4.5, 4, RED], [4.5, 4.5, 2, BLUE])
    const rim = words[4 * 9 + 6] ?? 0 // its centre is 2 away: half of it is blue
    expect([alpha(rim), rim & 255, (rim >>> 16) & 255]).toEqual([255, 128, 128])
  })

  it('are paths where they are few, or where what draws is no canvas', () => {
    const raster = new DotRaster()
    const svg = { canvas: { width: 10, height: 10 } } as unknown as CanvasRenderingContext2D
    expect(raster.begin(svg, 1, 2000)).toBe(false)
  })
})
