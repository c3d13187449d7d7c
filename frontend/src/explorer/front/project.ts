/** From plan to pixel in the 3-D scene: the camera's matrices applied by hand, for picking, tooltips and tests. */

type Matrix = ArrayLike<number>
export interface Camera {
  readonly model: Matrix
  readonly view: Matrix
  readonly projection: Matrix
}
export type Point3 = readonly [number, number, number]
export interface Pixel {
  readonly x: number
  readonly y: number
  /** Smaller is nearer to the reader. */
  readonly depth: number
}

function times(m: Matrix, v: readonly [number, number, number, number]): [number, number, number, number] {
  const out: [number, number, number, number] = [0, 0, 0, 0]
  for (let i = 0; i < 4; i += 1) for (let j = 0; j < 4; j += 1) out[j] = (out[j] ?? 0) + (m[4 * i + j] ?? 0) * (v[i] ?? 0)
  return out
}

/** Column-major matrices as WebGL has them; `scale` is the scene's data scale; null behind the camera. */
export function project(camera: Camera, scale: Point3, point: Point3, width: number, height: number): Pixel | null {
  const [x, y, z, w] = times(
    camera.projection,
    times(camera.view, times(camera.model, [point[0] * scale[0], point[1] * scale[1], point[2] * scale[2], 1])),
  )
  if (!(w > 0)) return null
  return { x: ((1 + x / w) / 2) * width, y: ((1 - y / w) / 2) * height, depth: z / w }
}

/** Nearest point within `reach` pixels of (x, y); of two at the same pixel the one in front; -1 for none. */
export function nearest(points: readonly (Pixel | null)[], x: number, y: number, reach: number): number {
  let best = -1
  let least = reach * reach
  let depth = Infinity
  points.forEach((p, i) => {
    if (!p) return
    const d = (p.x - x) ** 2 + (p.y - y) ** 2
    if (d > reach * reach) return
    if (d < least - 1 || (d <= least + 1 && p.depth < depth)) {
      best = i
      least = d
      depth = p.depth
    }
  })
  return best
}

/** A click is a pointer that went up within this many pixels of where it went down. */
export const CLICK_REACH = 5
export const HOVER_REACH = 10

export function isClick(down: { x: number; y: number } | null, up: { x: number; y: number }): boolean {
  return down !== null && Math.hypot(up.x - down.x, up.y - down.y) <= CLICK_REACH
}
