// Where the reader of the 3-D scene stands: turned and zoomed by keys, and what plotly is told.
import { describe, expect, it } from 'vitest'

import { type Stand, FIRST_STAND, standing, turned, zoomed } from '../front/camera'

const ahead: Stand = { ...FIRST_STAND, camera: { ...FIRST_STAND.camera, eye: { x: 0, y: -2, z: 0 }, center: { x: 0, y: 0, z: 0 } } }

describe('the stand of the reader', () => {
  it('goes round the height axis and keeps its distance', () => {
    const { eye } = turned(ahead, Math.PI / 2, 0).camera
    expect([eye.x, eye.y, eye.z].map((v) => Math.round(v * 1e6) / 1e6)).toEqual([2, 0, 0])
  })

  it('rises, but not over the poles', () => {
    const up = turned(ahead, 0, Math.PI / 6).camera.eye
    expect(up.z).toBeCloseTo(1)
    expect(Math.hypot(up.x, up.y, up.z)).toBeCloseTo(2)
    const highest = turned(ahead, 0, 99).camera.eye
    expect(highest.z).toBeLessThan(2)
    expect(highest.y).toBeLessThan(0)
  })

  it('turns around the centre that a drag has moved', () => {
    const off = { ...ahead, camera: { ...ahead.camera, eye: { x: 1, y: -2, z: 0 }, center: { x: 1, y: 0, z: 0 } } }
    expect(turned(off, Math.PI, 0).camera.eye.y).toBeCloseTo(2)
    expect(turned(off, Math.PI, 0).camera.eye.x).toBeCloseTo(1)
  })

  it('zooms within limits', () => {
    expect(zoomed(ahead, 1.5).zoom).toBeCloseTo(1.5)
    expect(zoomed(ahead, 1e9).zoom).toBe(zoomed(ahead, 1e8).zoom)
    expect(zoomed(ahead, 1e-9).zoom).toBeGreaterThan(0)
  })

  it('is told to plotly as a copy, with the sides of the box zoomed', () => {
    const told = standing({ ...FIRST_STAND, zoom: 2 }, { x: 1, y: 2, z: 3 })
    expect(told.aspectratio).toEqual({ x: 2, y: 4, z: 6 })
    expect(told.camera).toEqual(FIRST_STAND.camera)
    expect(told.camera).not.toBe(FIRST_STAND.camera)
  })
})
