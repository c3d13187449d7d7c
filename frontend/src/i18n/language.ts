// The language in use: a small store beside React, kept in the browser and mirrored in <html lang>.
import { useSyncExternalStore } from 'react'

import type { Lang } from './format'
import { hasTexts, loadLanguage } from './texts'

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

/** Fetches the texts of the other language before they are asked for; a failure shows on switching. */
export function prepareLang(lang: Lang): void {
  void loadLanguage(lang).catch(() => undefined)
}

/** The same for a page: when the texts are there. Rejects, and switches nothing, where they cannot be had. */
export async function switchLang(lang: Lang): Promise<void> {
  if (!hasTexts(lang)) await loadLanguage(lang)
  setLang(lang)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useLang(): Lang {
  return useSyncExternalStore(subscribe, getLang)
}
