/** From plan to pixel in the 3-D scene: the camera's matrices applied by hand, for drawing, picking and tests. */

type Matrix = ArrayLike<number>
/** Of a WebGL camera. */
export interface Matrices {
  readonly model: Matrix
  readonly view: Matrix
  readonly projection: Matrix
}
export type Point3 = readonly [number, number, number]
export interface Place {
  readonly x: number
  readonly y: number
  /** Smaller is nearer to the reader; none in a plane. */
  readonly depth?: number
}
export interface Pixel extends Place {
  readonly depth: number
}

/** a x b, column-major as WebGL has them. */
function product(a: Matrix, b: Matrix): number[] {
  const out = new Array<number>(16).fill(0)
  for (let column = 0; column < 4; column += 1)
    for (let row = 0; row < 4; row += 1)
      for (let k = 0; k < 4; k += 1)
        out[4 * column + row] = (out[4 * column + row] ?? 0) + (a[4 * k + row] ?? 0) * (b[4 * column + k] ?? 0)
  return out
}

/** Where a point of the scene is on a canvas of `width` x `height`; `scale` is the scene's data scale. */
export function projector(camera: Matrices, scale: Point3, width: number, height: number): (point: Point3) => Pixel | null {
  const m = product(camera.projection, product(camera.view, camera.model))
  const row = (of: number) => {
    const [a = 0, b = 0, c = 0, d = 0] = [m[of], m[4 + of], m[8 + of], m[12 + of]]
    const [sx, sy, sz] = [a * scale[0], b * scale[1], c * scale[2]]
    return (point: Point3) => sx * point[0] + sy * point[1] + sz * point[2] + d
  }
  const [rowX, rowY, rowZ, rowW] = [row(0), row(1), row(2), row(3)]
  return (point) => {
    const w = rowW(point)
    if (!(w > 0)) return null
    return { x: ((1 + rowX(point) / w) / 2) * width, y: ((1 - rowY(point) / w) / 2) * height, depth: rowZ(point) / w }
  }
}

/** One point by `projector`; null behind the camera. */
export function project(camera: Matrices, scale: Point3, point: Point3, width: number, height: number): Pixel | null {
  return projector(camera, scale, width, height)(point)
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
