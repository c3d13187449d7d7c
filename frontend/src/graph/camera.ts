// The part of a drawing that is in view: zoom and pan, kept where there is something to see.

export interface Camera {
  /** Pixels per unit of the drawing. */
  readonly zoom: number
  /** Where the drawing's origin is in the view, in pixels. */
  readonly x: number
  readonly y: number
}
export interface Box {
  readonly width: number
  readonly height: number
}

export const MOST_ZOOM = 2.5
/** Below this names cannot be read. */
export const READABLE = 0.7
const MARGIN = 24
/** How much of the drawing stays in view at least, in pixels. */
const KEPT = 60

export function fitZoom(drawing: Box, view: Box): number {
  const fit = Math.min((view.width - 2 * MARGIN) / (drawing.width || 1), (view.height - 2 * MARGIN) / (drawing.height || 1))
  return Math.min(1.25, Math.max(1e-4, fit))
}

/** All of it, in the middle. */
export function fitted(drawing: Box, view: Box): Camera {
  const zoom = fitZoom(drawing, view)
  return { zoom, x: (view.width - drawing.width * zoom) / 2, y: (view.height - drawing.height * zoom) / 2 }
}

/** All of it where names stay readable, else its beginning around the height `y`. */
export function atFirst(drawing: Box, view: Box, y: number): Camera {
  const all = fitted(drawing, view)
  if (all.zoom >= READABLE) return all
  const tall = drawing.height * READABLE > view.height - 2 * MARGIN
  const zoom = tall ? READABLE : Math.min(1, (view.height - 2 * MARGIN) / (drawing.height || 1))
  return bounded({ zoom, x: MARGIN, y: view.height / 2 - (tall ? y : drawing.height / 2) * zoom }, drawing, view)
}

/** Keeps a strip of the drawing in view, and the zoom between all of it and the closest. */
export function bounded(camera: Camera, drawing: Box, view: Box): Camera {
  const zoom = Math.min(MOST_ZOOM, Math.max(Math.min(fitZoom(drawing, view), 0.5), camera.zoom))
  const inside = (at: number, length: number, room: number) =>
    Math.min(Math.max(at, Math.min(KEPT, room / 2) - length * zoom), room - Math.min(KEPT, room / 2))
  return { zoom, x: inside(camera.x, drawing.width, view.width), y: inside(camera.y, drawing.height, view.height) }
}

/** Zooms by `factor` around a pixel. */
export function zoomedAt(camera: Camera, px: number, py: number, factor: number, drawing: Box, view: Box): Camera {
  const { zoom } = bounded({ ...camera, zoom: camera.zoom * factor }, drawing, view)
  const by = zoom / camera.zoom
  return bounded({ zoom, x: px - (px - camera.x) * by, y: py - (py - camera.y) * by }, drawing, view)
}

/** The point (x, y) of the drawing in the middle from left to right, close enough to read; up and down nothing moves
 * unless the point would be out of view. */
export function centred(camera: Camera, x: number, y: number, drawing: Box, view: Box): Camera {
  const zoom = Math.max(camera.zoom, READABLE)
  const at = y * camera.zoom + camera.y
  const isSeen = at >= 2 * MARGIN && at <= view.height - 2 * MARGIN
  return bounded({ zoom, x: view.width / 2 - x * zoom, y: (isSeen ? at : view.height / 2) - y * zoom }, drawing, view)
}

/** `share` of the way from one to the other, with the zoom in equal ratios. */
export function between(a: Camera, b: Camera, share: number): Camera {
  const mix = (from: number, to: number) => from + (to - from) * share
  return { zoom: a.zoom * (b.zoom / a.zoom) ** share, x: mix(a.x, b.x), y: mix(a.y, b.y) }
}
