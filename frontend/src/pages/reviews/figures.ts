// Figures of plans as a review shows them, in a unit that keeps them readable.
import type { Formats } from '../../format/numbers'

export const NAMED = ['exec_time_ms', 'energy_j', 'load_balance', 'peak_memory_bytes', 'transferred_bytes'] as const
export type NamedFigure = (typeof NAMED)[number]

export function isNamed(key: string): key is NamedFigure {
  return (NAMED as readonly string[]).includes(key)
}

/** The figure with its unit; `like` chooses the unit, so that two figures of a pair have the same one. */
export function shownFigure(key: string, value: number, formats: Formats, like = value): string {
  if (key === 'exec_time_ms') {
    if (like < 1) return `${formats.figure(value * 1000, 4)} µs`
    return like < 1000 ? `${formats.figure(value, 4)} ms` : `${formats.figure(value / 1000, 4)} s`
  }
  if (key === 'energy_j') return like < 1 ? `${formats.figure(value * 1000, 4)} mJ` : `${formats.figure(value, 4)} J`
  if (key.endsWith('_bytes')) return formats.bytes(value)
  return formats.figure(value, 3)
}
