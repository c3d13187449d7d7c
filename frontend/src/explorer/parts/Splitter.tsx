/** A line between two panes that can be dragged or moved by keys; its place is kept in this browser. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'

interface Limits {
  readonly least: number
  readonly most: number
  readonly initial: number
}

/** A kept number; null while the reader has not moved the line, so that the layout's own size rules. */
export function useKept(key: string): [number | null, (value: number | null) => void] {
  const [value, setValue] = useState<number | null>(() => {
    try {
      const text = localStorage.getItem(key)
      const kept = text === null ? Number.NaN : Number(text)
      return Number.isFinite(kept) ? kept : null
    } catch {
      return null
    }
  })
  const keep = (next: number | null) => {
    setValue(next)
    try {
      if (next === null) localStorage.removeItem(key)
      else localStorage.setItem(key, String(next))
    } catch {
      // A browser that keeps nothing still moves the line for this visit.
    }
  }
  return [value, keep]
}

interface Props extends Limits {
  readonly label: string
  readonly vertical?: boolean
  readonly value: number | null
  readonly onChange: (value: number | null) => void
  /** The value that a pointer at this place of the viewport means. */
  readonly at: (x: number, y: number) => number
  readonly className: string
}

export function Splitter({ label, vertical = false, value, onChange, at, least, most, initial, className }: Props) {
  const now = value ?? initial
  const set = (next: number) => onChange(Math.round(Math.min(most, Math.max(least, next))))
  const key = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key]
    if (step) set(now + step * Math.max(1, (most - least) / 40))
    else if (event.key === 'Home') set(least)
    else if (event.key === 'End') set(most)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div
      className={`xp-splitter ${className}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={vertical ? 'vertical' : 'horizontal'}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={Math.round(now)}
      onKeyDown={key}
      onDoubleClick={() => onChange(null)}
      onPointerDown={(event: PointerEvent) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event: PointerEvent) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) set(at(event.clientX, event.clientY))
      }}
    />
  )
}
