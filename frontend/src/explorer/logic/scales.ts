/** One display unit per metric and search, chosen from the default plan, and the number formats that go with it. */
import type { Front, MetricKey } from '../types'
import { METRICS } from '../types'

export interface Scale {
  readonly metric: MetricKey
  /** Display value = API value x factor. */
  readonly factor: number
  /** "" for the dimensionless balance. */
  readonly unit: string
  readonly decimals: number
}
export type Scales = Readonly<Record<MetricKey, Scale>>

const STEPS: Readonly<Record<MetricKey, readonly (readonly [factor: number, unit: string])[]>> = {
  exec_time_ms: [[1e6, 'ns'], [1e3, 'µs'], [1, 'ms'], [1e-3, 's']],
  energy_j: [[1e9, 'nJ'], [1e6, 'µJ'], [1e3, 'mJ'], [1, 'J'], [1e-3, 'kJ']],
  load_balance: [[1, '']],
  peak_memory_bytes: [[1e-3, 'KB'], [1e-6, 'MB'], [1e-9, 'GB']],
  transferred_bytes: [[1e-3, 'KB'], [1e-6, 'MB'], [1e-9, 'GB']],
}

/** Largest unit in which `value` is at least 1; three significant digits of `value` decide the decimals. */
export function scaleFor(metric: MetricKey, value: number): Scale {
  const steps = STEPS[metric]
  const size = Number.isFinite(value) ? Math.abs(value) : 0
  let [factor, unit] = steps[0] ?? [1, '']
  for (const [f, u] of steps) if (size * f >= 1) [factor, unit] = [f, u]
  if (metric === 'load_balance') return { metric, factor: 1, unit: '', decimals: size > 0 && size < 0.01 ? 5 : 3 }
  const shown = size * factor
  const decimals = shown > 0 ? Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(shown) + 1e-12))) : 0
  const most = metric === 'exec_time_ms' || metric === 'energy_j' ? 3 : 2
  return { metric, factor, unit, decimals: Math.min(decimals, most) }
}

export function scalesOf(front: Pick<Front, 'plans' | 'default_plan'>): Scales {
  const largest = (metric: MetricKey) => front.plans.reduce((m, p) => Math.max(m, p[metric]), 0)
  const median = (metric: MetricKey) => {
    const sorted = front.plans.map((p) => p[metric]).sort((a, b) => a - b)
    return sorted[sorted.length >> 1] ?? 0
  }
  const basis: Record<MetricKey, number> = {
    exec_time_ms: front.default_plan.exec_time_ms || median('exec_time_ms'),
    energy_j: front.default_plan.energy_j || median('energy_j'),
    load_balance: Math.max(largest('load_balance'), front.default_plan.load_balance),
    peak_memory_bytes: largest('peak_memory_bytes'),
    transferred_bytes: largest('transferred_bytes'),
  }
  return Object.fromEntries(METRICS.map((m) => [m, scaleFor(m, basis[m])])) as Record<MetricKey, Scale>
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
export function multiple(x: number, lang: string): string {
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
