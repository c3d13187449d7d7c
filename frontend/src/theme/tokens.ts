// The design tokens as plain values, for canvas and plotly: read once per change of theme or language.
import { useMemo } from 'react'

import { useLang } from '../i18n/language'
import { useTheme } from './theme'

export interface DeviceColour {
  fill: string
  ink: string
}

export interface Tokens {
  of: string
  /** A token's value by its name without the dashes, for example `value('line-soft')`. */
  value: (name: string) => string
  device: (slot: number) => DeviceColour
  score: readonly string[]
  fontUi: string
  fontTag: string
  fontMono: string
}

export const DEVICE_SLOTS = 12

/**
 * Reads the tokens of the page as it is now; `of` names the theme and language that they belong to.
 * `slot` counts from 1; beyond 12 the colours repeat.
 */
export function readTokens(of: string): Tokens {
  const style = getComputedStyle(document.documentElement)
  const cache = new Map<string, string>()
  const value = (name: string): string => {
    let found = cache.get(name)
    if (found === undefined) {
      found = style.getPropertyValue(`--${name}`).trim()
      cache.set(name, found)
    }
    return found
  }
  const device = (slot: number): DeviceColour => {
    const index = ((Math.max(1, slot) - 1) % DEVICE_SLOTS) + 1
    return { fill: value(`dev-${index}`), ink: value(`dev-${index}-ink`) }
  }
  return {
    of,
    value,
    device,
    score: [0, 1, 2, 3, 4].map((step) => value(`score-${step}`)),
    fontUi: value('font-ui'),
    fontTag: value('font-tag'),
    fontMono: value('font-mono'),
  }
}

export function useTokens(): Tokens {
  const theme = useTheme()
  const lang = useLang()
  return useMemo(() => readTokens(`${theme} ${lang}`), [theme, lang])
}
