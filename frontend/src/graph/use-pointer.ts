// Pointer and wheel on a drawing: drag pans, two fingers and the wheel zoom, a click picks, a double click opens.
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'

import { isClick } from '../drawing/click'
import { type Box, zoomedAt } from './camera'
import type { CameraControl } from './use-camera'

export interface PointerUse {
  readonly onPick: (x: number, y: number) => void
  readonly onOpen: (x: number, y: number) => void
  readonly onHover: (at: { x: number; y: number } | null) => void
}

interface Point {
  x: number
  y: number
}

/**
 * `scrolls` is for a drawing on a page that scrolls: the wheel alone then zooms only while the drawing has the focus
 * (with Ctrl always), and a finger moves the page up and down.
 */
export function usePointer(
  canvas: RefObject<HTMLCanvasElement | null>,
  camera: CameraControl,
  drawing: Box,
  view: Box,
  use: PointerUse,
  scrolls: boolean,
) {
  const held = useRef(new Map<number, Point>())
  const down = useRef<Point | null>(null)
  const place = (event: { clientX: number; clientY: number }): Point => {
    const box = canvas.current?.getBoundingClientRect()
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) }
  }
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const wheel = (event: WheelEvent) => {
      if (scrolls && !event.ctrlKey && !event.metaKey && document.activeElement !== element) return
      event.preventDefault()
      const now = camera.now()
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        camera.set({ ...now, x: now.x - (event.deltaX || event.deltaY) })
        return
      }
      const box = element.getBoundingClientRect()
      const lines = event.deltaMode === 1 ? 33 : 1
      const factor = Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.002)
      camera.set(zoomedAt(now, event.clientX - box.left, event.clientY - box.top, factor, drawing, view))
    }
    element.addEventListener('wheel', wheel, { passive: false })
    return () => element.removeEventListener('wheel', wheel)
  }, [canvas, camera, drawing, view, scrolls])
  const end = (event: PointerEvent) => {
    held.current.delete(event.pointerId)
  }
  return {
    style: { touchAction: scrolls ? ('pan-y' as const) : ('none' as const) },
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return
      held.current.set(event.pointerId, { x: event.clientX, y: event.clientY })
      down.current = held.current.size === 1 ? { x: event.clientX, y: event.clientY } : null
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerMove: (event: PointerEvent) => {
      const before = held.current.get(event.pointerId)
      if (!before) { use.onHover(place(event)); return; }
      const at = { x: event.clientX, y: event.clientY }
      const other = [...held.current].find(([id]) => id !== event.pointerId)?.[1]
      if (!other && down.current && isClick(down.current, at)) return
      down.current = null
      held.current.set(event.pointerId, at)
      use.onHover(null)
      const now = camera.now()
      if (!other) {
        camera.set({ ...now, x: now.x + at.x - before.x, y: now.y + at.y - before.y })
        return
      }
      const spread = (point: Point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y))
      const middle = place({ clientX: (at.x + other.x) / 2, clientY: (at.y + other.y) / 2 })
      camera.set(zoomedAt(now, middle.x, middle.y, spread(at) / spread(before), drawing, view))
    },
    onPointerUp: (event: PointerEvent) => {
      const from = down.current
      down.current = null
      end(event)
      const { x, y } = place(event)
      if (isClick(from, { x: event.clientX, y: event.clientY })) use.onPick(x, y)
    },
    onPointerCancel: end,
    onPointerLeave: () => use.onHover(null),
    onDoubleClick: (event: { clientX: number; clientY: number }) => {
      const { x, y } = place(event)
      use.onOpen(x, y)
    },
  }
}
