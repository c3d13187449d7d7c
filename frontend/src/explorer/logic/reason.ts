/** Parameters of a reason as text in the reader's language: devices by tag, figures with units. */
import type { Formats } from '../../format/numbers'
import type { CodeWithParams, DeviceRef } from '../types'

const LARGE = 1000

function scaled(value: number, units: readonly string[], step: number, f: Formats): string {
  let amount = value
  let at = step
  while (Math.abs(amount) < 1 && at > 0 && amount !== 0) {
    amount *= LARGE
    at -= 1
  }
  while (Math.abs(amount) >= LARGE && at < units.length - 1) {
    amount /= LARGE
    at += 1
  }
  return `${f.figure(amount, 2 + Number(Math.abs(amount) >= 100))} ${units[at] ?? ''}`
}

export function timeText(ms: number, f: Formats): string {
  return scaled(ms, ['ns', 'µs', 'ms', 's'], 2, f)
}

export function energyText(joule: number, f: Formats): string {
  return scaled(joule, ['nJ', 'µJ', 'mJ', 'J', 'kJ'], 3, f)
}

/** `x_ms`, `x_j` and `x_bytes` become figures with units, `device` and `x_device` tags; sizes without their sign. */
export function reasonParams(
  reason: CodeWithParams,
  devices: readonly DeviceRef[],
  f: Formats,
  host: string,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(reason.params).map(([key, value]): [string, string | number] => {
      if (typeof value === 'number') {
        if (key.endsWith('_ms')) return [key, timeText(Math.abs(value), f)]
        if (key.endsWith('_j')) return [key, energyText(Math.abs(value), f)]
        if (key.endsWith('_bytes')) return [key, f.bytes(Math.abs(value))]
        if (key === 'device' || key.endsWith('_device')) return [key, devices[value]?.tag ?? host]
        return [key, value]
      }
      if (typeof value === 'string') {
        const device = key === 'device' || key.endsWith('_device')
        return [key, device ? (devices.find((d) => d.name === value)?.tag ?? value) : value]
      }
      return [key, value === null || value === undefined ? '–' : JSON.stringify(value)]
    }),
  )
}
