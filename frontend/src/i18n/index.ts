// Translation as components use it: `const t = useT(); t('home.title')`, typed by key and parameters.
import { useMemo } from 'react'

import { catalogue, type MessageKey } from './catalogue'
import { formatMessage, type Lang, type ParamNames, type Params } from './format'
import { getLang, useLang } from './language'

export type { MessageKey } from './catalogue'
export type { Lang, Params } from './format'
export { getLang, setLang, useLang } from './language'

type ParamsOf<K extends MessageKey> = Record<ParamNames<(typeof catalogue)[K][0]>, string | number>
type Args<K extends MessageKey> = [ParamNames<(typeof catalogue)[K][0]>] extends [never] ? [] : [params: ParamsOf<K>]
export type Translate = <K extends MessageKey>(key: K, ...args: Args<K>) => string

function lookUp(key: string): readonly [string, string] | undefined {
  return Object.hasOwn(catalogue, key) ? (catalogue as Record<string, readonly [string, string]>)[key] : undefined
}

function pick(message: readonly [string, string], lang: Lang): string {
  return lang === 'zh' ? message[1] : message[0]
}

/** Translates outside of React, in the language that is in use now unless another is given. */
export function translate(key: MessageKey, params?: Params, lang: Lang = getLang()): string {
  return formatMessage(pick(catalogue[key], lang), lang, params)
}

/** Translates a code that the server sent (`prefix.code`); `fallback` is the server's own English sentence. */
export function translateCode(prefix: string, code: string, params: Params, fallback: string, lang = getLang()): string {
  const message = lookUp(`${prefix}.${code}`)
  return message ? formatMessage(pick(message, lang), lang, params) : fallback
}

export function useT(): Translate {
  const lang = useLang()
  return useMemo<Translate>(() => (key, ...args) => translate(key, args[0], lang), [lang])
}
