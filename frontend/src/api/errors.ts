// One kind of error for everything that can go wrong between the page and the server.
import { formatsFor } from '../format/numbers'
import type { Unit } from '../format/units'
import { getLang, translateCode, type Lang, type Params } from '../i18n'
import { loadTexts } from '../i18n/texts'
import type { ApiErrorBody } from './types'

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string
  readonly params: Record<string, unknown>

  constructor(status: number, body: ApiErrorBody) {
    super(body.message)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code
    this.hint = body.hint
    this.params = body.params
  }
}

function isBody(value: unknown): value is ApiErrorBody {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value
}

/** Makes an ApiError from whatever an answer held: our envelope, a framework's answer, or no JSON at all. */
export function toApiError(status: number, answer: unknown): ApiError {
  const inner = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : answer
  if (isBody(inner)) {
    return new ApiError(status, { code: inner.code, message: inner.message, hint: inner.hint, params: inner.params })
  }
  const known: Record<number, string> = { 401: 'not_authenticated', 403: 'permission_denied', 404: 'not_found', 413: 'file_too_large' }
  const code = status === 0 ? 'offline' : (known[status] ?? 'server_error')
  return new ApiError(status, { code, message: `The server answered ${status}.`, hint: '', params: { status } })
}

/** How long an error waits for its texts, in milliseconds; without them the server's English sentence stands. */
const TEXTS_MS = 1000

/** The error, once the texts of errors are there. */
export async function withTexts(error: ApiError): Promise<ApiError> {
  const late = new Promise((done) => setTimeout(done, TEXTS_MS))
  await Promise.race([loadTexts(['errors'], getLang()).catch(() => undefined), late])
  return error
}

/** Parameters of a code as the formatter takes them: numbers and texts, lists joined. */
export function errorParams(params: Record<string, unknown> | undefined): Params {
  const entries = Object.entries(params ?? {}).map(([name, value]): [string, string | number] => {
    if (typeof value === 'number' || typeof value === 'string') return [name, value]
    if (Array.isArray(value)) return [name, value.map(String).join(', ')]
    return [name, value === null || value === undefined ? '–' : JSON.stringify(value)]
  })
  return Object.fromEntries(entries)
}

/** What there was too much of, in the reader's language. */
function limited(params: Record<string, unknown> | undefined, lang: Lang): Params {
  const what = params?.what
  return typeof what === 'string' ? { what: translateCode('limit', what.replaceAll(' ', '_'), {}, what, lang) } : {}
}

/** The versions of its engine that a format is for, in the reader's language. */
export function versionsText(format: string, versions: string, lang: Lang): string {
  return translateCode('download.versions', format, { number: versions.replace(/\D+/g, '') }, versions, lang)
}

function versioned(params: Record<string, unknown> | undefined, lang: Lang): Params {
  const { format, versions } = params ?? {}
  return typeof format === 'string' && typeof versions === 'string' ? { versions: versionsText(format, versions, lang) } : {}
}

export interface ErrorText {
  title: string
  hint: string
}

const MOST_INSIDE = 3

/** `devices.0.idle_power_w`, or `gpu0.idle_power_w` where the error says which device that is. */
function fieldName(field: string, params: Record<string, unknown> | undefined): string {
  const device = typeof params?.where === 'string' ? /^device (.+)$/.exec(params.where)?.[1] : undefined
  return device === undefined ? field : field.replace(/^devices\.\d+/, device)
}

/** What is wrong with each field, where an error consists of others, as that of a pool does, and what to do. */
function inside(params: Record<string, unknown> | undefined, lang: Lang): string | null {
  const list = params?.errors
  if (!Array.isArray(list) || list.length === 0) return null
  const told = list.slice(0, MOST_INSIDE).map((one: unknown) => {
    const field = typeof one === 'object' && one !== null && 'field' in one ? String(one.field) : ''
    const { title, hint } = errorText(isBody(one) ? { ...one, hint: '' } : one, lang)
    return { line: field && isBody(one) ? `${fieldName(field, one.params)}: ${title}` : title, hint }
  })
  const lines = told.map(({ line }) => line)
  if (list.length > MOST_INSIDE) lines.push('…')
  const hints = [...new Set(told.map(({ hint }) => hint).filter((hint) => hint !== ''))]
  return [`${lines.join('; ')}.`, ...hints].join(' ')
}

/** What exactly is wrong, where the server says it with a code of its own; null where it does not. */
export function errorDetail(params: Record<string, unknown> | undefined, lang: Lang): string | null {
  const { detail, reason } = params ?? {}
  if (typeof detail !== 'string') return null
  return translateCode('detail', detail, errorParams(params), typeof reason === 'string' ? reason : detail, lang)
}

const FIGURE_DIGITS = 4

/** A figure and its range as they are shown: with digits that count, and in the unit of the form if it has one. */
function ranged(params: Record<string, unknown> | undefined, lang: Lang, unit: Unit | undefined): Params {
  const { figure } = formatsFor(lang)
  const { low, high } = params ?? {}
  if (typeof low !== 'number' || typeof high !== 'number') return {}
  const shown = (['value', 'low', 'high'] as const).flatMap((key): [string, string][] => {
    const stored = params?.[key]
    if (typeof stored !== 'number') return []
    return [[key, figure(stored / (unit?.factor ?? 1), FIGURE_DIGITS)]]
  })
  return { ...Object.fromEntries(shown), ...(unit && { unit: unit.label }) }
}

/** The sentence for a person, in `lang`: by code where we know it, the server's English otherwise. `unit`: of the field. */
export function errorText(error: unknown, lang: Lang, unit?: Unit): ErrorText {
  if (error instanceof ApiError || isBody(error)) {
    const detail = errorDetail(error.params, lang)
    const params = { ...errorParams(error.params), ...(detail !== null && { reason: detail }), ...limited(error.params, lang), ...versioned(error.params, lang), ...ranged(error.params, lang, unit) }
    return {
      title: translateCode('error', error.code, params, error.message, lang),
      hint: inside(error.params, lang) ?? translateCode('hint', error.code, params, error.hint, lang),
    }
  }
  return { title: translateCode('error', 'unexpected', {}, String(error), lang), hint: '' }
}
