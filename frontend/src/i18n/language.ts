// The language in use: a small store beside React, kept in the browser and mirrored in <html lang>.
import { useSyncExternalStore } from 'react'

import type { Lang } from './format'

const KEY = 'heteroopt.lang'
const listeners = new Set<() => void>()

function initial(): Lang {
  return document.documentElement.lang.startsWith('zh') ? 'zh' : 'en'
}

let current: Lang = initial()

export function getLang(): Lang {
  return current
}

/** Switches every text on the page at once and remembers the choice in this browser. */
export function setLang(lang: Lang): void {
  current = lang
  document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en'
  try {
    localStorage.setItem(KEY, lang)
  } catch {
    // A browser that keeps nothing still switches for this visit.
  }
  listeners.forEach((listener) => listener())
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useLang(): Lang {
  return useSyncExternalStore(subscribe, getLang)
}
