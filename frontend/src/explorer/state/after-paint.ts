/** A value that follows once what came first is on the screen; of several meanwhile only the last. */
import { startTransition, useEffect, useRef, useState } from 'react'

/** For what is costly to draw and may be a frame behind. */
export function useAfterPaint<T>(value: T): T {
  const [shown, setShown] = useState(value)
  const newest = useRef(value)
  const frame = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    newest.current = value
    if (frame.current || Object.is(value, shown)) return
    frame.current = requestAnimationFrame(() => {
      // The frame is painted when its callbacks have run, so this comes after it.
      timer.current = setTimeout(() => {
        frame.current = 0
        startTransition(() => setShown(newest.current))
      })
    })
  }, [value, shown])
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current)
      clearTimeout(timer.current)
      frame.current = 0
    },
    [],
  )
  return shown
}
