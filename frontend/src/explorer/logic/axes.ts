/** Which measures the axes, the colour and the size of the front stand for. */
import type { MetricKey } from '../types'
import { BASICS, columnOf, measureOf, type Table } from './measures'

export type Triple = readonly [x: MetricKey, y: MetricKey, z: MetricKey]

export interface Axes {
  /** x, y and height of the 3-D view; the projections show each pair. */
  readonly keys: Triple
  /** Null: the weighted score. */
  readonly colour: MetricKey | null
  /** Null: all alike. */
  readonly size: MetricKey | null
}

export interface AskedAxes {
  readonly axes: Triple | null
  readonly colour: MetricKey | null
  readonly size: MetricKey | null
}

/** The axes when none were chosen: the objectives, filled up with time, energy, balance and the other measures. */
export function defaultAxes(table: Table): Triple {
  const keys = [...new Set([...table.objectives.map((m) => m.key), ...BASICS, ...table.measures.map((m) => m.key)])]
  const [x = 'exec_time_ms', y = 'energy_j', z = 'load_balance'] = keys.filter((key) => measureOf(table, key) !== undefined)
  return [x, y, z]
}

/** What was asked for, as far as the front has it. */
export function axesOf(table: Table, asked: AskedAxes): Axes {
  const has = (key: MetricKey | null): key is MetricKey => key !== null && measureOf(table, key) !== undefined
  const whole = asked.axes?.every(has) && new Set(asked.axes).size === 3 ? asked.axes : null
  return {
    keys: whole ?? defaultAxes(table),
    colour: has(asked.colour) ? asked.colour : null,
    size: has(asked.size) ? asked.size : null,
  }
}

/** The axes with `key` at place `at`; the one that stood there takes the place that `key` leaves. */
export function withAxis(keys: Triple, at: 0 | 1 | 2, key: MetricKey): Triple {
  const from = keys.indexOf(key)
  const next: [MetricKey, MetricKey, MetricKey] = [...keys]
  if (from >= 0) next[from as 0 | 1 | 2] = keys[at]
  next[at] = key
  return next
}

/**
 * Measures as axes of the parallel coordinates: the objectives, what is drawn or bounded, then the others, as many
 * as there is room for.
 */
export function parallelAxes(table: Table, used: readonly MetricKey[], room: number): MetricKey[] {
  const first = [...table.objectives.map((m) => m.key), ...used].filter((key) => measureOf(table, key))
  const basics = BASICS.filter((key) => measureOf(table, key))
  // What no plan differs in, such as a price that the pool does not state, tells nothing beside the others.
  const varies = (key: MetricKey) => columnOf(table, key).some((value, _, all) => value !== all[0])
  const others = table.measures.map((m) => m.key).filter(varies)
  const wanted = [...new Set([...first, ...basics, ...others])]
  const must = new Set(first).size
  const kept = new Set(wanted.slice(0, Math.max(must, Math.min(wanted.length, Math.max(2, room)))))
  return table.measures.map((m) => m.key).filter((key) => kept.has(key))
}
