/** Parameters of a reason as text in the reader's language: devices by tag, figures with units. */
import type { Formats } from '../../format/numbers'
import type { CodeWithParams, DeviceRef } from '../types'

const STEP = 1000

function scaled(value: number, units: readonly string[], start: number, f: Formats): string {
  let amount = value
  let at = start
  while (Math.abs(amount) < 1 && at > 0 && amount !== 0) {
    amount *= STEP
    at -= 1
  }
  while (Math.abs(amount) >= STEP && at < units.length - 1) {
    amount /= STEP
    at += 1
  }
  return `${f.figure(amount, Math.abs(amount) >= 100 ? 3 : 2)} ${units[at] ?? ''}`
}

export function timeText(ms: number, f: Formats): string {
  return scaled(ms, ['ns', 'µs', 'ms', 's'], 2, f)
}

export function energyText(joule: number, f: Formats): string {
  return scaled(joule, ['nJ', 'µJ', 'mJ', 'J', 'kJ'], 3, f)
}

/** A value by the unit in its key, without sign; null when the key names no unit. */
export function figureText(key: string, value: number, f: Formats): string | null {
  const size = Math.abs(value)
  if (key.endsWith('_ms')) return timeText(size, f)
  if (key.endsWith('_j')) return energyText(size, f)
  if (key.endsWith('_bytes')) return f.bytes(size)
  if (key.endsWith('load_balance')) return f.figure(size, 2)
  return null
}

/** Devices become tags, figures carry units and lose their sign, which the sentence says in words; joules say where they are from. */
export function reasonParams(
  reason: CodeWithParams,
  devices: readonly DeviceRef[],
  f: Formats,
  sourced: (joules: string) => string = (joules) => joules,
): Record<string, string | number> {
  const tag = (name: unknown) => devices.find((d) => d.name === name)?.tag ?? String(name)
  return Object.fromEntries(
    Object.entries(reason.params).map(([key, value]): [string, string | number] => {
      if (typeof value === 'number') {
        const text = figureText(key, value, f) ?? value
        return [key, typeof text === 'string' && key.endsWith('_j') ? sourced(text) : text]
      }
      if (Array.isArray(value)) return [key, value.map(tag).join(', ')]
      if (typeof value === 'string') return [key, key === 'device' ? tag(value) : value]
      return [key, value === null || value === undefined ? '–' : JSON.stringify(value)]
    }),
  )
}

/** Codes that say something else when the plan would not be faster on the other device. */
const WITHOUT_TIME = new Set(['saves_energy', 'balance', 'trade_off'])

export function reasonVariant({ code, params }: CodeWithParams): string {
  return WITHOUT_TIME.has(code) && !params.faster_ms ? `${code}_only` : code
}

/** What would get better, of a `better_elsewhere`: keys with a negative change, in the order of the objectives. */
export function gainsOf({ params }: CodeWithParams): { key: 'delta_ms' | 'delta_j' | 'delta_load_balance'; value: number }[] {
  return (['delta_ms', 'delta_j', 'delta_load_balance'] as const).flatMap((key) => {
    const value = params[key]
    return typeof value === 'number' && value < 0 ? [{ key, value }] : []
  })
}
