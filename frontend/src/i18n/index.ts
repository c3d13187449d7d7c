// Translation as components use it: `const t = useT(); t('home.title')`, typed by key and parameters.
import { useMemo } from 'react'

import type { catalogue, MessageKey } from './catalogue'
import { formatMessage, type Lang, type ParamNames, type Params } from './format'
import { getLang, useLang } from './language'
import { textOf, textOrKey } from './texts'

export type { MessageKey } from './catalogue'
export type { Lang, Params } from './format'
export { getLang, prepareLang, setLang, switchLang, useLang } from './language'

type ParamsOf<K extends MessageKey> = Record<ParamNames<(typeof catalogue)[K][0]>, string | number>
type Args<K extends MessageKey> = [ParamNames<(typeof catalogue)[K][0]>] extends [never] ? [] : [params: ParamsOf<K>]
export type Translate = <K extends MessageKey>(key: K, ...args: Args<K>) => string

/** Translates outside of React, in the language that is in use now unless another is given. */
export function translate(key: MessageKey, params?: Params, lang: Lang = getLang()): string {
  return formatMessage(textOrKey(key, lang), lang, params)
}

/** Translates a code that the server sent (`prefix.code`); `fallback` is the server's own English sentence. */
export function translateCode(prefix: string, code: string, params: Params, fallback: string, lang = getLang()): string {
  const text = textOf(`${prefix}.${code}`, lang)
  return text === undefined ? fallback : formatMessage(text, lang, params)
}

export function useT(): Translate {
  const lang = useLang()
  return useMemo<Translate>(() => (key, ...args) => translate(key, args[0], lang), [lang])
}
