/** From plan to pixel in the 3-D scene: an orthographic camera on a turntable, for drawing, picking and tests. */
import type { Range } from '../logic/ticks'

export type Point3 = readonly [number, number, number]

/** A point of a drawing in pixels. */
export interface Place {
  readonly x: number
  readonly y: number
  /** Smaller is nearer to the reader; none in a plane. */
  readonly depth?: number
}
export interface Pixel extends Place {
  readonly depth: number
}

/** Where the reader stands. Angles in radians: `yaw` around the height axis, `pitch` above the floor; shifts in pixels. */
export interface Camera {
  readonly yaw: number
  readonly pitch: number
  readonly zoom: number
  readonly shiftX: number
  readonly shiftY: number
}

/** The box of the axes, in the units of the points, and the canvas in CSS pixels. */
export interface Stage {
  readonly ranges: readonly [Range, Range, Range]
  readonly width: number
  readonly height: number
}

export const FIRST_CAMERA: Camera = { yaw: Math.atan2(-1.5, -1.15), pitch: 0.364, zoom: 1, shiftX: 0, shiftY: 0 }

/** Lengths of the box's sides, whatever the ranges are. */
const SIDES: Point3 = [1.95, 1.6, 1.08]
/** The width that the box can take however it is turned, in lengths of sides. */
const ACROSS = Math.hypot(SIDES[0], SIDES[1])
/** Room for ticks and captions around it, in pixels; less on a small canvas. */
const ROOM = { across: 116, above: 28, below: 50 }
/** Below this height the box does not grow any more, so that it keeps its size near the first view. */
const LEAST_TALL = 1.9
const STEEPEST = Math.PI / 2
const ZOOM = { least: 0.4, most: 40 }

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** Unit vector from the box to the reader. */
export function toReader({ yaw, pitch }: Camera): Point3 {
  return [Math.cos(pitch) * Math.cos(yaw), Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch)]
}

/** Pixels a unit of side at zoom 1: the whole box is on the canvas from wherever it is seen. */
function unit(pitch: number, width: number, height: number): number {
  const across = Math.max(width - ROOM.across, width * 0.6) / ACROSS
  const tall = ACROSS * Math.abs(Math.sin(pitch)) + SIDES[2] * Math.cos(pitch)
  const up = Math.max(height - ROOM.above - ROOM.below, height * 0.6) / Math.max(tall, LEAST_TALL)
  return Math.min(across, up)
}

/** Where a point is on the canvas. */
export function projector(camera: Camera, { ranges, width, height }: Stage): (point: Point3) => Pixel {
  const [ex, ey, ez] = toReader(camera)
  const [rightX, rightY] = [-Math.sin(camera.yaw), Math.cos(camera.yaw)]
  const [upX, upY, upZ] = [-ez * Math.cos(camera.yaw), -ez * Math.sin(camera.yaw), Math.cos(camera.pitch)]
  const size = unit(camera.pitch, width, height) * camera.zoom
  const middleX = width / 2 + camera.shiftX
  const middleY = height / 2 - (ROOM.below - ROOM.above) / 2 + camera.shiftY
  const [kx, ky, kz] = ranges.map(({ lo, hi }, at) => (SIDES[at] ?? 1) / (hi - lo || 1)) as [number, number, number]
  const [mx, my, mz] = ranges.map(({ lo, hi }) => (lo + hi) / 2) as [number, number, number]
  return ([px, py, pz]) => {
    const [x, y, z] = [(px - mx) * kx, (py - my) * ky, (pz - mz) * kz]
    return {
      x: middleX + size * (x * rightX + y * rightY),
      y: middleY - size * (x * upX + y * upY + z * upZ),
      depth: -(x * ex + y * ey + z * ez),
    }
  }
}

/** The camera after the front of the box has been dragged by so many pixels. */
export function turned(camera: Camera, dx: number, dy: number): Camera {
  const PER_PIXEL = 0.008
  return { ...camera, yaw: camera.yaw - dx * PER_PIXEL, pitch: clamp(camera.pitch + dy * PER_PIXEL, -STEEPEST, STEEPEST) }
}

export function shifted(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, shiftX: camera.shiftX + dx, shiftY: camera.shiftY + dy }
}

/** The camera `factor` times nearer; what is at (x, y), in pixels from the canvas's middle, stays there. */
export function zoomedAt(camera: Camera, factor: number, x: number, y: number): Camera {
  const zoom = clamp(camera.zoom * factor, ZOOM.least, ZOOM.most)
  const by = zoom / camera.zoom
  return { ...camera, zoom, shiftX: x - (x - camera.shiftX) * by, shiftY: y - (y - camera.shiftY) * by }
}

/** Nearest point within `reach` pixels of (x, y); of two at the same pixel the one in front; -1 for none. */
export function nearest(points: readonly (Place | null)[], x: number, y: number, reach: number): number {
  let best = -1
  let least = reach * reach
  let depth = Infinity
  points.forEach((p, i) => {
    if (!p) return
    const d = (p.x - x) ** 2 + (p.y - y) ** 2
    if (d > reach * reach) return
    const away = p.depth ?? 0
    if (d < least - 1 || (d <= least + 1 && away < depth)) {
      best = i
      least = d
      depth = away
    }
  })
  return best
}

/** Pixels within which a pointer is at a point. */
export const HOVER_REACH = 10
