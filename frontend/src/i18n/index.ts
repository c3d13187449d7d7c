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

type Message = readonly [string, string]

/** The same table with its keys forgotten: comparing thousands of literal types at each use takes tools minutes. */
const texts: ReadonlyMap<string, Message> = new Map(Object.entries<Message>(catalogue))

function pick(message: Message, lang: Lang): string {
  return lang === 'zh' ? message[1] : message[0]
}

/** Translates outside of React, in the language that is in use now unless another is given. */
export function translate(key: MessageKey, params?: Params, lang: Lang = getLang()): string {
  return formatMessage(pick(texts.get(key) ?? [key, key], lang), lang, params)
}

/** Translates a code that the server sent (`prefix.code`); `fallback` is the server's own English sentence. */
export function translateCode(prefix: string, code: string, params: Params, fallback: string, lang = getLang()): string {
  const message = texts.get(`${prefix}.${code}`)
  return message ? formatMessage(pick(message, lang), lang, params) : fallback
}

export function useT(): Translate {
  const lang = useLang()
  return useMemo<Translate>(() => (key, ...args) => translate(key, args[0], lang), [lang])
}
