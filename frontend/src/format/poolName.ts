// What a pool is called: sample pools have names in each language, every other one the name that its owner gave.
import { useCallback } from 'react'

import { translateCode, useLang } from '../i18n'

/** Takes the name and whether the pool is a sample. */
export function usePoolName(): (name: string, isSample: boolean) => string {
  const lang = useLang()
  return useCallback((name, isSample) => (isSample ? translateCode('pool.sampleName', name, {}, name, lang) : name), [lang])
}
