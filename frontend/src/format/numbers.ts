// Figures as people read them: counts, bytes, times, multiples, dates; powers of ten only here.
import { useMemo } from 'react'

import { LOCALES, type Lang } from '../i18n/format'
import { useLang } from '../i18n/language'

export interface Formats {
  /** A plain number with fixed digits. */
  number: (value: number, digits?: number) => string
  /** As `number`, but what would round to nothing is `< 0.1` (of that many digits). */
  least: (value: number, digits: number) => string
  /** A number with at most `significant` significant digits, for figures of unknown size. */
  figure: (value: number, significant?: number) => string
  /** A tiny figure as `4.1e-7`; `∞` for null, which stands for what is not finite. */
  small: (value: number | null) => string
  /** `× 0.70` */
  multiple: (value: number | null | undefined) => string
  /** `12%` of a share between 0 and 1. */
  share: (value: number, digits?: number) => string
  /** Bytes as `12.3 MB` (powers of 1000). */
  bytes: (value: number) => string
  /** Floating-point operations as `2.87 GFLOP`. */
  flops: (value: number) => string
  /** A count of seconds as `3 s`, `2 min 5 s`, `3 h 20 min`. */
  seconds: (value: number) => string
  date: (iso: string) => string
  dateTime: (iso: string) => string
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']
const FLOP_UNITS = ['FLOP', 'KFLOP', 'MFLOP', 'GFLOP', 'TFLOP', 'PFLOP', 'EFLOP']

/** Splits `value` into a figure below 1000 and its unit's index. */
function scale(value: number, steps: number): [figure: number, step: number] {
  let figure = value
  let step = 0
  while (Math.abs(figure) >= 999.5 && step < steps - 1) {
    figure /= 1000
    step += 1
  }
  return [figure, step]
}

const made = new Map<Lang, Formats>()

export function formatsFor(lang: Lang): Formats {
  const known = made.get(lang)
  if (known) return known
  const locale = LOCALES[lang]
  const fixed = new Map<number, Intl.NumberFormat>()
  const number = (value: number, digits = 0): string => {
    let format = fixed.get(digits)
    if (!format) {
      format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
      fixed.set(digits, format)
    }
    return format.format(value)
  }
  const most = new Map<number, Intl.NumberFormat>()
  const figure = (value: number, significant = 3): string => {
    if (value === 0) return '0'
    const size = Math.floor(Math.log10(Math.abs(value)))
    const digits = Math.max(0, Math.min(12, significant - 1 - size))
    let format = most.get(digits)
    if (!format) {
      format = new Intl.NumberFormat(locale, { maximumFractionDigits: digits })
      most.set(digits, format)
    }
    return format.format(value)
  }
  const scaled = (value: number, units: readonly string[]): string => {
    const [amount, step] = scale(value, units.length)
    const digits = step === 0 || Math.abs(amount) >= 100 ? 0 : Math.abs(amount) >= 10 ? 1 : 2
    return `${number(amount, digits)} ${units[step] ?? ''}`
  }
  const day = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric' })
  const moment = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const formats: Formats = {
    number,
    least: (value, digits) => {
      const unit = 10 ** -digits
      return value > 0 && value < unit / 2 ? `< ${number(unit, digits)}` : number(value, digits)
    },
    figure,
    small: (value) => {
      if (value === null) return '∞'
      if (value === 0 || (value >= 0.01 && value < 1000)) return figure(value, 2)
      const [digits = '', exponent = ''] = value.toExponential(1).split('e')
      return `${digits.replace(/\.0$/, '')}e${exponent.replace('+', '')}`
    },
    multiple: (value) => (value === null || value === undefined ? '–' : `× ${number(value, 2)}`),
    share: (value, digits = 0) => `${number(value * 100, digits)}%`,
    bytes: (value) => scaled(value, BYTE_UNITS),
    flops: (value) => scaled(value, FLOP_UNITS),
    seconds: (value) => {
      const whole = Math.max(0, Math.round(value))
      const [s, min, h] = lang === 'zh' ? ['秒', '分', '小时'] : ['s', 'min', 'h']
      if (whole < 60) return `${whole} ${s}`
      if (whole < 3600) return `${Math.floor(whole / 60)} ${min} ${whole % 60} ${s}`
      return `${Math.floor(whole / 3600)} ${h} ${Math.floor((whole % 3600) / 60)} ${min}`
    },
    date: (iso) => day.format(new Date(iso)),
    dateTime: (iso) => moment.format(new Date(iso)),
  }
  made.set(lang, formats)
  return formats
}

export function useFormats(): Formats {
  const lang = useLang()
  return useMemo(() => formatsFor(lang), [lang])
}

/** Splits a scaled text such as `12.3 MB` into figure and unit, for cells that set them apart. */
export function splitUnit(text: string): [figure: string, unit: string] {
  const at = text.lastIndexOf(' ')
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
