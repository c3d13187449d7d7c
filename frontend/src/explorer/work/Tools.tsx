/** Puts a tab's own tools at the right end of the row of tabs. */
import { type ReactNode, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'

export function Tools({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  useEffect(() => {
    const found = document.getElementById('xp-work-tools')
    const frame = requestAnimationFrame(() => setSlot(found))
    return () => cancelAnimationFrame(frame)
  }, [])
  return slot && createPortal(children, slot)
}
