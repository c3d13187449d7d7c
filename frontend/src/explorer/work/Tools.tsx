/** Puts a tab's own tools at the right end of the row of tabs. */
import { createContext, type ReactNode, useContext } from 'react'
import { createPortal } from 'react-dom'

export const ToolsSlot = createContext<HTMLElement | null>(null)

export function Tools({ children }: { children: ReactNode }) {
  const slot = useContext(ToolsSlot)
  return slot && createPortal(children, slot)
}
