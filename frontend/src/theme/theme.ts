// Light, dark or the system's choice; kept in the browser and mirrored in <html data-theme>.
import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'light' | 'dark' | 'system'
export type Theme = 'light' | 'dark'

const KEY = 'heteroopt.theme'
const listeners = new Set<() => void>()
const systemDark = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : null

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}

let choice: ThemeChoice = stored()

function resolve(): Theme {
  if (choice !== 'system') return choice
  return systemDark?.matches ? 'dark' : 'light'
}

function apply(): void {
  document.documentElement.dataset.theme = resolve()
  listeners.forEach((listener) => listener())
}

systemDark?.addEventListener('change', apply)
// The system may have changed since the page's first script looked.
document.documentElement.dataset.theme = resolve()

export function setThemeChoice(next: ThemeChoice): void {
  choice = next
  try {
    if (next === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // A browser that keeps nothing still switches for this visit.
  }
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, () => choice)
}

/** The theme that is drawn now: what canvases and plotly redraw on. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, resolve)
}
