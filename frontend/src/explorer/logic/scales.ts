/** One display unit per metric and search, chosen from the default plan, and the number formats that go with it. */
import type { Front, MetricKey } from '../types'
import { BASIC_UNITS, BASICS, type BasicKey, columnOf, isBasic, measureOf, tableOf } from './measures'

export interface Scale {
  readonly metric: MetricKey
  /** Display value = API value x factor. */
  readonly factor: number
  /** "" for the dimensionless balance. */
  readonly unit: string
  readonly decimals: number
}
/** Scales of the measures of one front; the basic ones are always there. */
export type Scales = Readonly<Record<BasicKey, Scale> & Record<MetricKey, Scale>>

type Steps = readonly (readonly [factor: number, unit: string])[]
/** Display units by API unit, smallest first. */
const STEPS: Readonly<Record<string, Steps>> = {
  ms: [[1e6, 'ns'], [1e3, 'µs'], [1, 'ms'], [1e-3, 's']],
  J: [[1e9, 'nJ'], [1e6, 'µJ'], [1e3, 'mJ'], [1, 'J'], [1e-3, 'kJ']],
  bytes: [[1e-3, 'KB'], [1e-6, 'MB'], [1e-9, 'GB']],
  '1/s': [[3600, '/h'], [60, '/min'], [1, '/s'], [1e-3, 'k/s'], [1e-6, 'M/s']],
  '1/h': [[1, '/h']],
}
/** Largest unit in which `value` is at least 1; three significant digits of `value` decide the decimals. */
export function scaleFor(metric: MetricKey, value: number, apiUnit = isBasic(metric) ? BASIC_UNITS[metric] : ''): Scale {
  const steps = STEPS[apiUnit] ?? [[1, apiUnit]]
  const size = Number.isFinite(value) ? Math.abs(value) : 0
  let [factor, unit] = steps[0] ?? [1, '']
  for (const [f, u] of steps) if (size * f >= 1) [factor, unit] = [f, u]
  if (metric === 'load_balance') return { metric, factor: 1, unit: '', decimals: size > 0 && size < 0.01 ? 5 : 3 }
  const shown = size * factor
  const decimals = shown > 0 ? Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(shown) + 1e-12))) : 0
  const most = apiUnit === 'bytes' ? 2 : unit === '' ? 5 : 3
  return { metric, factor, unit, decimals: Math.min(decimals, most) }
}

const made = new WeakMap<Front, Scales>()

export function scalesOf(front: Front): Scales {
  const known = made.get(front)
  if (known) return known
  const table = tableOf(front)
  const basis = (key: MetricKey): number => {
    const values = columnOf(table, key).filter(Number.isFinite)
    const largest = values.reduce((m, v) => Math.max(m, v), 0)
    const reference = measureOf(table, key)?.reference ?? 0
    if (key === 'load_balance') return Math.max(largest, reference)
    if (key === 'peak_memory_bytes' || key === 'transferred_bytes') return largest
    return reference || ([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0)
  }
  const units = new Map<MetricKey, string>([
    ...BASICS.map((key) => [key, BASIC_UNITS[key]] as const),
    ...table.measures.map((m) => [m.key, m.unit] as const),
  ])
  const scales = Object.fromEntries([...units].map(([key, unit]) => [key, scaleFor(key, basis(key), unit)])) as Scales
  made.set(front, scales)
  return scales
}

const PLAIN: Omit<Scale, 'metric'> = { factor: 1, unit: '', decimals: 3 }

export function scaleOf(scales: Scales, metric: MetricKey): Scale {
  return (scales as Readonly<Record<string, Scale | undefined>>)[metric] ?? { metric, ...PLAIN }
}

const formats = new Map<string, Intl.NumberFormat>()

/** Number with fixed decimals in the reader's language; a true minus sign. */
export function fixed(value: number, decimals: number, lang: string): string {
  const key = `${lang} ${decimals}`
  let format = formats.get(key)
  if (!format) {
    format = new Intl.NumberFormat(lang, { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    formats.set(key, format)
  }
  if (!Number.isFinite(value)) return '–'
  const text = format.format(Math.abs(value))
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text
}

/** Display figure without its unit; a small positive figure reads "< 0.001", never a false 0. */
export function figure(value: number, scale: Scale, lang: string): string {
  const shown = value * scale.factor
  const least = 10 ** -scale.decimals
  if (shown > 0 && shown < least / 2) return `< ${fixed(least, scale.decimals, lang)}`
  return fixed(shown, scale.decimals, lang)
}

export function withUnit(value: number, scale: Scale, lang: string): string {
  const text = figure(value, scale, lang)
  return scale.unit ? `${text} ${scale.unit}` : text
}

/** Signed difference in the scale's unit; "0" without a sign when it rounds to nothing. */
export function signed(delta: number, scale: Scale, lang: string, decimals = scale.decimals): string {
  const shown = delta * scale.factor
  const text = fixed(Math.abs(shown), decimals, lang)
  return !/[1-9]/.test(text) ? text : shown > 0 ? `+${text}` : `−${text}`
}

/** Multiple of the default plan, as in "× 0.70". */
export function multiple(x: number | null, lang: string): string {
  if (x === null || !Number.isFinite(x)) return '–'
  return `× ${fixed(x, Math.abs(x) >= 100 ? 0 : 2, lang)}`
}

/** Text in an input for an API value: no grouping, no more digits than the value has. */
export function inputText(value: number | null, scale: Scale): string {
  return value === null ? '' : String(Number((value * scale.factor).toPrecision(10)))
}

export type Parsed = { readonly ok: true; readonly value: number | null } | { readonly ok: false }

/** Read an input in display units (own unit and thousands separators allowed); empty means no bound. */
export function parseInput(text: string, scale: Scale): Parsed {
  let body = text.trim().replace(/[,\s，_]/g, '')
  if (scale.unit && body.toLowerCase().endsWith(scale.unit.toLowerCase())) body = body.slice(0, -scale.unit.length)
  if (body === '') return { ok: true, value: null }
  if (!/^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(body)) return { ok: false }
  const value = Number(body) / scale.factor
  return Number.isFinite(value) ? { ok: true, value: Number(value.toPrecision(12)) } : { ok: false }
}
