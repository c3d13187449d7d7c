// Why an act cannot be done now, as its button says it.
import { translateCode, useLang } from '../../i18n'

/** The sentence of a code that the server gave; null where nothing is in the way. */
export function useReason(code: string | null): string | null {
  const lang = useLang()
  return code === null ? null : `${translateCode('error', code, {}, code, lang)}${lang === 'zh' ? '。' : '.'}`
}
