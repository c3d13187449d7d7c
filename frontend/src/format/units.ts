// The powers of ten between what a file stores and what a form shows. Nothing else converts units.
export const GFLOP_PER_TFLOP = 1000
export const BYTES_PER_GB = 1e9
export const BYTES_PER_MB = 1e6
export const BYTES_PER_KB = 1e3
export const FLOP_PER_MFLOP = 1e6

export interface Unit {
  label: string
  /** How many stored units one shown unit is. */
  factor: number
}

export const UNITS = {
  tflopPerS: { label: 'TFLOP/s', factor: GFLOP_PER_TFLOP },
  megabytes: { label: 'MB', factor: BYTES_PER_MB },
  gigabytes: { label: 'GB', factor: BYTES_PER_GB },
  gbPerS: { label: 'GB/s', factor: 1 },
  pjPerFlop: { label: 'pJ/FLOP', factor: 1 },
  pjPerByte: { label: 'pJ/B', factor: 1 },
  watts: { label: 'W', factor: 1 },
  microseconds: { label: 'µs', factor: 1 },
  fraction: { label: '', factor: 1 },
  perHour: { label: '/h', factor: 1 },
} as const satisfies Record<string, Unit>

/** A stored figure as text for an input: shown unit, no grouping, at most 12 significant digits. */
export function toInput(stored: number | null | undefined, unit: Unit): string {
  if (stored === null || stored === undefined) return ''
  return String(Number((stored / unit.factor).toPrecision(12)))
}

/** The stored figure of an input's text; null for empty, NaN for what is no number. */
export function fromInput(text: string, unit: Unit): number | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const shown = Number(trimmed.replace(/,/g, ''))
  return Number.isFinite(shown) ? Number((shown * unit.factor).toPrecision(15)) : Number.NaN
}
