// The camera of a drawing: kept outside of React's state, so that a pan costs a frame of drawing and nothing more.
import { useCallback, useEffect, useRef } from 'react'

import { between, bounded, type Box, type Camera } from './camera'

const FLIGHT_MS = 160

export interface CameraControl {
  readonly now: () => Camera
  /** Jumps there. */
  readonly set: (camera: Camera) => void
  /** Moves there in 160 ms, at once under reduced motion. */
  readonly fly: (camera: Camera) => void
}

/** `draw` is called at most once a frame. */
export function useCamera(draw: (camera: Camera) => void, drawing: Box, view: Box): CameraControl {
  const camera = useRef<Camera>({ zoom: 1, x: 0, y: 0 })
  const frame = useRef(0)
  const flight = useRef(0)
  const latest = useRef({ draw, drawing, view })
  useEffect(() => {
    latest.current = { draw, drawing, view }
  })
  const put = useCallback((next: Camera) => {
    camera.current = bounded(next, latest.current.drawing, latest.current.view)
    if (frame.current) return
    frame.current = requestAnimationFrame(() => {
      frame.current = 0
      latest.current.draw(camera.current)
    })
  }, [])
  const set = useCallback(
    (next: Camera) => {
      cancelAnimationFrame(flight.current)
      put(next)
    },
    [put],
  )
  const fly = useCallback(
    (next: Camera) => {
      cancelAnimationFrame(flight.current)
      if (matchMedia('(prefers-reduced-motion: reduce)').matches) { put(next); return; }
      const [from, start] = [camera.current, performance.now()]
      const step = (time: number) => {
        const share = Math.min(1, Math.max(0, (time - start) / FLIGHT_MS))
        put(share === 1 ? next : between(from, next, 1 - (1 - share) ** 3))
        if (share < 1) flight.current = requestAnimationFrame(step)
      }
      flight.current = requestAnimationFrame(step)
    },
    [put],
  )
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current)
      cancelAnimationFrame(flight.current)
      frame.current = 0
    },
    [],
  )
  const now = useCallback(() => camera.current, [])
  return { now, set, fly }
}
