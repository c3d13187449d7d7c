/** Pins (operator to device) and forbidden devices of the next search, by position, and how they stand in the address. */
import type { DeviceRef, PlanOperator, Search } from '../types'

/** Index of the operator to index of the device in the pool. */
export type Pins = Readonly<Record<number, number>>

/** What a search is told; null: whatever this search was told. */
export interface Steering {
  readonly pins: Pins
  readonly forbidden: readonly number[]
}

type Named = Pick<PlanOperator, 'index' | 'name' | 'members'>

/** Set (or with null take away) the pin of every operator in `indices`. */
export function withPins(pins: Pins, indices: Iterable<number>, device: number | null): Pins {
  const next: Record<number, number> = { ...pins }
  for (const index of indices) {
    if (device === null) Reflect.deleteProperty(next, index)
    else next[index] = device
  }
  return next
}

export function pinCount(pins: Pins): number {
  return Object.keys(pins).length
}

/** Operators by the device that they are pinned to, both in ascending order. */
export function byDevice(pins: Pins): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const [index, device] of Object.entries(pins)) groups.set(device, [...(groups.get(device) ?? []), Number(index)])
  return new Map([...groups].sort((a, b) => a[0] - b[0]))
}

/** What the search itself was told, as positions; names that the plan does not have are left out. */
export function steeringOf(search: Pick<Search, 'settings'>, operators: readonly Named[], devices: readonly DeviceRef[]): Steering {
  const at = new Map<string, number>()
  for (const op of operators) for (const member of op.members) at.set(member, op.index)
  for (const op of operators) at.set(op.name, op.index)
  const device = new Map(devices.map((d, i) => [d.name, i]))
  const pins: Record<number, number> = {}
  for (const [name, deviceName] of Object.entries(search.settings.pins)) {
    const index = at.get(name)
    const to = device.get(deviceName)
    if (index !== undefined && to !== undefined) pins[index] = to
  }
  return { pins, forbidden: search.settings.forbidden_devices.flatMap((name) => device.get(name) ?? []).sort((a, b) => a - b) }
}

/** The settings of a search with these pins, as the API takes them. */
export function settingsOf(steering: Steering, operators: readonly Named[], devices: readonly DeviceRef[]) {
  const name = new Map(operators.map((op) => [op.index, op.name]))
  const pins: Record<string, string> = {}
  for (const [index, to] of Object.entries(steering.pins)) {
    const operator = name.get(Number(index))
    const device = devices[to]?.name
    if (operator !== undefined && device !== undefined) pins[operator] = device
  }
  return { pins, forbidden_devices: steering.forbidden.flatMap((i) => devices[i]?.name ?? []) }
}

export function sameSteering(a: Steering, b: Steering): boolean {
  return writePins(a.pins) === writePins(b.pins) && a.forbidden.join() === b.forbidden.join()
}

/** Why no search can be started with these pins, or null. `operator` is the first one that cannot be placed. */
export interface Conflict {
  readonly code: 'all_forbidden' | 'pinned_to_forbidden'
  readonly device: number
  readonly operators: readonly number[]
}

export function conflictOf({ pins, forbidden }: Steering, deviceCount: number): Conflict | null {
  if (forbidden.length >= deviceCount) return { code: 'all_forbidden', device: -1, operators: [] }
  for (const [device, operators] of byDevice(pins))
    if (forbidden.includes(device)) return { code: 'pinned_to_forbidden', device, operators }
  return null
}

const BASE = 36

/** "0.3.5-9~1.c": device, its operators and runs of operators, in base 36; "none" for no pin at all. */
export function writePins(pins: Pins): string {
  const groups = [...byDevice(pins)].map(([device, list]) => {
    const parts: string[] = []
    for (let i = 0; i < list.length; ) {
      let to = i
      while (to + 1 < list.length && list[to + 1] === (list[to] ?? 0) + 1) to += 1
      const [first, last] = [(list[i] ?? 0).toString(BASE), (list[to] ?? 0).toString(BASE)]
      parts.push(to === i ? first : `${first}-${last}`)
      i = to + 1
    }
    return [device.toString(BASE), ...parts].join('.')
  })
  return groups.join('~') || 'none'
}

const MOST_OPERATORS = 1_000_000

/** Null for what cannot be read. */
export function parsePins(text: string | null): Pins | null {
  if (text === null) return null
  if (text === 'none') return {}
  const pins: Record<number, number> = {}
  for (const group of text.split('~')) {
    if (!/^[0-9a-z]{1,2}(\.[0-9a-z]{1,4}(-[0-9a-z]{1,4})?)+$/.test(group)) return null
    const [device = '', ...parts] = group.split('.')
    for (const part of parts) {
      const [first = '', last = first] = part.split('-')
      const [from, to] = [Number.parseInt(first, BASE), Number.parseInt(last, BASE)]
      if (to > MOST_OPERATORS) return null
      for (let i = from; i <= to; i += 1) pins[i] = Number.parseInt(device, BASE)
    }
  }
  return pins
}

export function writeForbidden(forbidden: readonly number[]): string {
  return forbidden.map((i) => i.toString(BASE)).join('.') || 'none'
}

export function parseForbidden(text: string | null): number[] | null {
  if (text === null) return null
  if (text === 'none') return []
  if (!/^[0-9a-z]{1,2}(\.[0-9a-z]{1,2})*$/.test(text)) return null
  return [...new Set(text.split('.').map((part) => Number.parseInt(part, BASE)))].sort((a, b) => a - b)
}
