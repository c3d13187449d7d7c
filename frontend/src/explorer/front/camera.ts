/** Where the reader of the 3-D scene stands: plotly's camera and a zoom, turned and zoomed by keys. */
export interface Sides {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** Plotly's: points in units of the box's sides. */
export interface Camera {
  readonly projection: { readonly type: 'orthographic' }
  readonly eye: Sides
  readonly center: Sides
  readonly up: Sides
}

export interface Stand {
  readonly camera: Camera
  /** Factor of the box's sides, which is how plotly zooms without perspective. */
  readonly zoom: number
}

export const FIRST_STAND: Stand = {
  camera: {
    projection: { type: 'orthographic' },
    eye: { x: -1.15, y: -1.5, z: 0.72 },
    center: { x: 0, y: 0, z: -0.08 },
    up: { x: 0, y: 0, z: 1 },
  },
  zoom: 1,
}

const STEEPEST = (89 * Math.PI) / 180
const ZOOM = { least: 0.4, most: 40 }

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

/** The eye on its sphere around the centre, `yaw` further round the height axis and `pitch` higher, in radians; not over the poles. */
export function turned(stand: Stand, yaw: number, pitch: number): Stand {
  const { eye, center } = stand.camera
  const [x, y, z] = [eye.x - center.x, eye.y - center.y, eye.z - center.z]
  const far = Math.hypot(x, y, z)
  const [round, high] = [Math.atan2(y, x) + yaw, clamp(Math.asin(z / far) + pitch, -STEEPEST, STEEPEST)]
  const at = {
    x: center.x + far * Math.cos(high) * Math.cos(round),
    y: center.y + far * Math.cos(high) * Math.sin(round),
    z: center.z + far * Math.sin(high),
  }
  return { ...stand, camera: { ...stand.camera, eye: at, up: { x: 0, y: 0, z: 1 } } }
}

export function zoomed(stand: Stand, factor: number): Stand {
  return { ...stand, zoom: clamp(stand.zoom * factor, ZOOM.least, ZOOM.most) }
}

/** The part of a plotly scene that says where the reader stands. Made anew each time: plotly writes turns into what it is given. */
export function standing({ camera, zoom }: Stand, sides: Sides) {
  return {
    camera: structuredClone(camera),
    aspectratio: { x: sides.x * zoom, y: sides.y * zoom, z: sides.z * zoom },
  }
}
