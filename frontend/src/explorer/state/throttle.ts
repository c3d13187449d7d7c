/** A value that changes at most once per interval; the last value always arrives. */
import { useEffect, useRef, useState } from 'react'

export function useThrottled<T>(value: T, intervalMs: number): T {
  const [shown, setShown] = useState(value)
  const last = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, last.current + intervalMs - performance.now())
    const timer = setTimeout(() => {
      last.current = performance.now()
      setShown(value)
    }, wait)
    return () => clearTimeout(timer)
  }, [value, intervalMs])
  return shown
}
