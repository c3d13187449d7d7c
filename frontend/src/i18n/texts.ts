// The texts that this page has so far, by language: the shell's from the start, an area's once it is loaded.
import { loaders } from 'virtual:texts'

import type { Area } from './catalogue'
import type { Catalogue, Lang } from './format'
import { commonMessages } from './messages/common'
import { session } from './messages/errors/session'
import { homeMessages } from './messages/home'

type Texts = Map<string, string>

const held: Readonly<Record<Lang, Texts>> = { en: new Map(), zh: new Map() }
const loading: Readonly<Record<Lang, Map<Area, Promise<void>>>> = { en: new Map(), zh: new Map() }
const loaded: Readonly<Record<Lang, Set<Area>>> = { en: new Set(), zh: new Set() }
/** Every area that a page has asked for, in whatever language. */
const wanted = new Set<Area>()
const missed = new Set<string>()

/** Adds messages in both languages. */
export function addMessages(messages: Catalogue): void {
  for (const [key, [en, zh]] of Object.entries(messages)) {
    held.en.set(key, en)
    held.zh.set(key, zh)
  }
}

addMessages(commonMessages)
addMessages(homeMessages)
addMessages(session)

/** The text of `key`, where it is there. */
export function textOf(key: string, lang: Lang): string | undefined {
  return held[lang].get(key)
}

/** The same; a key without a text is told to the console once, and shows itself. */
export function textOrKey(key: string, lang: Lang): string {
  const text = held[lang].get(key)
  if (text !== undefined) return text
  if (!missed.has(key)) {
    missed.add(key)
    console.error(`No text for ${key} in ${lang}`)
  }
  return key
}

function loadOne(area: Area, lang: Lang): Promise<void> {
  const under = loading[lang].get(area)
  if (under) return under
  const started = loaders[area][lang]().then(
    ({ default: texts }) => {
      for (const [key, text] of Object.entries(texts)) held[lang].set(key, text)
      loaded[lang].add(area)
    },
    (error: unknown) => {
      loading[lang].delete(area) // the next call tries again
      throw error
    },
  )
  loading[lang].set(area, started)
  return started
}

/** Loads the texts of `areas` in `lang`; rejects where one cannot be had. */
export async function loadTexts(areas: readonly Area[], lang: Lang): Promise<void> {
  areas.forEach((area) => wanted.add(area))
  await Promise.all(areas.map((area) => loadOne(area, lang)))
}

/** Whether every text that pages asked for is there in `lang`. */
export function hasTexts(lang: Lang): boolean {
  return [...wanted].every((area) => loaded[lang].has(area))
}

/** Loads what pages asked for so far in another language too. */
export async function loadLanguage(lang: Lang): Promise<void> {
  while (!hasTexts(lang)) await loadTexts([...wanted], lang)
}
