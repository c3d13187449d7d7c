// Spoken and floating notices: one polite live region, and toasts that stay 6 s. Errors never go here.
import { useSyncExternalStore } from 'react'

import { Button } from './Button'

export interface Toast {
  id: number
  text: string
  action?: { label: string; run: () => void }
}

const TOAST_MS = 6000
const listeners = new Set<() => void>()
let spoken = ''
let toasts: readonly Toast[] = []
let nextId = 1

function emit(): void {
  listeners.forEach((listener) => listener())
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Has a screen reader say `text` when it is idle. */
export function announce(text: string): void {
  spoken = text === spoken ? `${text}\u00a0` : text
  emit()
}

function dismiss(id: number): void {
  toasts = toasts.filter((toast) => toast.id !== id)
  emit()
}

export function toast(text: string, action?: Toast['action']): void {
  const id = nextId
  nextId += 1
  toasts = [...toasts.slice(-2), action ? { id, text, action } : { id, text }]
  announce(text)
  setTimeout(() => dismiss(id), TOAST_MS)
}

export function Notices() {
  const text = useSyncExternalStore(subscribe, () => spoken)
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <>
      <div className="sr" aria-live="polite" data-testid="live">
        {text}
      </div>
      <div className="toasts">
        {shown.map((item) => (
          <div className="toast" key={item.id}>
            <span>{item.text}</span>
            {item.action && (
              <Button
                size="s"
                onClick={() => {
                  item.action?.run()
                  dismiss(item.id)
                }}
              >
                {item.action.label}
              </Button>
            )}
          </div>
        ))}
      </div>
    </>
  )
}
