// The 3-D scene: where plans stand on the canvas, how the view turns, what a press means, what stands on the axes.
import { describe, expect, it } from 'vitest'

import { SvgContext } from '../../drawing/svg-context'
import { Gesture } from '../front/gesture'
import { FIRST_CAMERA, nearest, projector, shifted, toReader, turned, zoomedAt } from '../front/project'
import { axesOf, labelEdges, paintAxes } from '../front/scene-axes'
import type { Range } from '../logic/ticks'

const range = (lo: number, hi: number): Range => ({ lo, hi, constant: false, at: (lo + hi) / 2 })
const stage = { ranges: [range(0, 10), range(0, 100), range(0, 1)] as const, width: 800, height: 500 }
/** From the front: x to the right, height upwards. */
const ahead = { ...FIRST_CAMERA, yaw: -Math.PI / 2, pitch: 0 }
const middle = [5, 50, 0.5] as const
const scale = { metric: 'time', unit: 'µs', factor: 1, decimals: 1 }
const axes = axesOf(
  [
    { title: 'Time µs', range: stage.ranges[0], scale },
    { title: 'Energy mJ', range: stage.ranges[1], scale },
    { title: 'Balance', range: { lo: 0.4, hi: 0.6, constant: true, at: 0.5 }, scale },
  ],
  'constant',
  'en-US',
)

describe('the camera', () => {
  it('sees the middle of the box in the middle, x to the right and height upwards', () => {
    const project = projector(ahead, stage)
    const at = project(middle)
    expect(at.x).toBeCloseTo(400)
    expect(project([6, 50, 0.5]).x).toBeGreaterThan(at.x)
    expect(project([6, 50, 0.5]).y).toBeCloseTo(at.y)
    expect(project([5, 50, 0.6]).y).toBeLessThan(at.y)
    expect(project([5, 40, 0.5]).depth).toBeLessThan(at.depth)
  })

  it('keeps the whole box on the canvas, however it is turned', () => {
    for (let yaw = 0; yaw < 7; yaw += 0.37)
      for (const pitch of [-1.5, 0, 0.364, 1.2])
        for (const x of [0, 10])
          for (const y of [0, 100])
            for (const z of [0, 1]) {
              const at = projector({ ...FIRST_CAMERA, yaw, pitch }, stage)([x, y, z])
              expect([at.x > 0, at.x < 800, at.y > 0, at.y < 500]).toEqual([true, true, true, true])
            }
  })

  it('turns the front of the box with the pointer, and not beyond the poles', () => {
    const near = (camera: typeof ahead) => {
      const [x, y, z] = toReader(ahead)
      return projector(camera, stage)([5 + x, 50 + 10 * y, 0.5 + 0.1 * z])
    }
    expect(near(turned(ahead, 20, 0)).x).toBeGreaterThan(near(ahead).x)
    expect(near(turned(ahead, 0, 20)).y).toBeGreaterThan(near(ahead).y)
    expect(turned(ahead, 0, 9999).pitch).toBeCloseTo(Math.PI / 2)
    expect(turned(ahead, 0, -9999).pitch).toBeCloseTo(-Math.PI / 2)
  })

  it('zooms at the pointer and shifts by pixels', () => {
    const at = projector(ahead, stage)([7, 50, 0.7])
    const zoomed = projector(zoomedAt(ahead, 2, at.x - 400, at.y - 250 + 11), stage)([7, 50, 0.7])
    expect(zoomed.x).toBeCloseTo(at.x)
    expect(zoomed.y).toBeCloseTo(at.y)
    expect(projector(shifted(ahead, 30, -7), stage)(middle).x).toBeCloseTo(430)
    expect(zoomedAt(ahead, 1e9, 0, 0).zoom).toBeLessThan(100)
  })

  it('does not divide by a range without width', () => {
    const flat = projector(ahead, { ...stage, ranges: [range(1, 1), range(0, 1), range(0, 1)] })([1, 0.5, 0.5])
    expect(Number.isFinite(flat.x)).toBe(true)
  })
})

describe('picking', () => {
  it('takes the nearest point within reach, the front one of two', () => {
    const points = [{ x: 0, y: 0, depth: 0.5 }, { x: 0.5, y: 0, depth: 0.1 }, null, { x: 30, y: 0, depth: 0 }]
    expect(nearest(points, 1, 0, 10)).toBe(1)
    expect(nearest(points, 25, 0, 10)).toBe(3)
    expect(nearest(points, 15, 15, 10)).toBe(-1)
  })
})

describe('a press', () => {
  it('is a click while it stays within 5 pixels, and moves nothing', () => {
    const gesture = new Gesture()
    gesture.down(1, { x: 0, y: 0 })
    expect(gesture.move(1, { x: 3, y: 4 }, false)).toBeNull()
    expect(gesture.up(1)).toBe(true)
    expect(gesture.move(1, { x: 90, y: 0 }, false)).toBeNull()
  })

  it('turns once it has left them, from where it was pressed, and is no click when it comes back', () => {
    const gesture = new Gesture()
    gesture.down(1, { x: 0, y: 0 })
    expect(gesture.move(1, { x: 6, y: 0 }, false)).toEqual({ kind: 'turn', dx: 6, dy: 0 })
    expect(gesture.move(1, { x: 0, y: 0 }, true)).toEqual({ kind: 'shift', dx: -6, dy: 0 })
    expect(gesture.up(1)).toBe(false)
  })

  it('of two fingers zooms, and neither is a click', () => {
    const gesture = new Gesture()
    gesture.down(1, { x: 0, y: 0 })
    gesture.down(2, { x: 100, y: 0 })
    expect(gesture.move(2, { x: 200, y: 0 }, false)).toEqual({ kind: 'pinch', dx: 50, dy: 0, factor: 2, at: { x: 100, y: 0 } })
    expect([gesture.up(2), gesture.up(1)]).toEqual([false, false])
  })

  it('that never began here ends nothing', () => {
    expect(new Gesture().up(1)).toBe(false)
    const lost = new Gesture()
    lost.down(1, { x: 0, y: 0 })
    lost.cancel(1)
    expect(lost.up(1)).toBe(false)
  })
})

describe('the axes', () => {
  const drawn = (camera: typeof ahead) => {
    const g = new SvgContext(800, 500, null)
    const look = { grid: '#eee', line: '#888', tick: '#555', caption: '#333', font: 'sans-serif', tickSize: 11 }
    paintAxes(g as unknown as CanvasRenderingContext2D, axes, camera, projector(camera, stage), look, 800)
    return [...g.svg('axes').matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)
  }

  it('say a constant one, with its one value', () => {
    expect(axes[2].caption).toBe('Balance · constant')
    expect(axes[2].ticks.map((tick) => tick.text)).toEqual(['0.5'])
    expect(axes[0].ticks.map((tick) => tick.value)).toEqual([0, 2, 4, 6, 8, 10])
  })

  it('stand at the outline towards the reader, height at the left', () => {
    const project = projector(FIRST_CAMERA, stage)
    const [x, y, z] = labelEdges(axes, FIRST_CAMERA, project)
    expect([x.from[1], x.from[2]]).toEqual([0, 0.4])
    expect([y.from[0], y.from[2]]).toEqual([0, 0.4])
    expect([z.from[0], z.from[1]]).toEqual([0, 100])
    // From the other side the labels change sides.
    const behind = { ...FIRST_CAMERA, yaw: FIRST_CAMERA.yaw + Math.PI }
    const [bx, by] = labelEdges(axes, behind, projector(behind, stage))
    expect([bx.from[1], by.from[0]]).toEqual([100, 10])
  })

  it('are all named, but for one seen end-on', () => {
    for (const camera of [FIRST_CAMERA, { ...FIRST_CAMERA, yaw: 1 }, { ...FIRST_CAMERA, pitch: -0.5 }])
      expect(drawn(camera)).toEqual(expect.arrayContaining(['Time µs', 'Energy mJ', 'Balance · constant']))
    const above = drawn({ ...FIRST_CAMERA, pitch: Math.PI / 2 })
    expect(above).toContain('Time µs')
    expect(above).not.toContain('Balance · constant')
  })
})
