/** What the plans of a front are measured by: the search's objectives first, then every other measure, as columns. */
import type { Front, MetricKey, Plan } from '../types'

export type Direction = 'min' | 'max'

export interface Measure {
  readonly key: MetricKey
  /** English; the page translates the key where it knows it. */
  readonly name: string
  /** SI symbol, "bytes", or "". */
  readonly unit: string
  readonly direction: Direction
  /** Value of the reference plan in API units, where it is known. */
  readonly reference: number | null
  readonly objective: boolean
}

/** Values in API units and, for the objectives, multiples of the reference (lower is better, whatever the direction). */
export interface Table {
  readonly count: number
  readonly objectives: readonly Measure[]
  /** Objectives first. */
  readonly measures: readonly Measure[]
  readonly values: Readonly<Record<MetricKey, readonly number[]>>
  /** The multiples of every measure that has them. */
  readonly times: Readonly<Record<MetricKey, readonly number[]>>
  /** Those of the objectives, one column each. */
  readonly multiples: readonly (readonly number[])[]
}

/** Measures that every front has, in the order of the page. */
export const BASICS = ['exec_time_ms', 'energy_j', 'load_balance', 'peak_memory_bytes', 'transferred_bytes'] as const
export type BasicKey = (typeof BASICS)[number]
export const BASIC_UNITS: Readonly<Record<BasicKey, string>> = {
  exec_time_ms: 'ms',
  energy_j: 'J',
  load_balance: '',
  peak_memory_bytes: 'bytes',
  transferred_bytes: 'bytes',
}

export const isBasic = (key: MetricKey): key is BasicKey => BASICS.some((basic) => basic === key)

export function valueOf(plan: Plan, key: MetricKey): number {
  return plan.values[key] ?? (isBasic(key) ? plan[key] : Number.NaN)
}

const tables = new WeakMap<Front, Table>()

export function tableOf(front: Front): Table {
  const known = tables.get(front)
  if (known) return known
  const { plans } = front
  const all = [
    ...front.objectives.map((given) => ({ ...given, objective: true })),
    ...front.measures.map((given) => ({ ...given, objective: false })),
    // Fronts of older searches name fewer measures than their plans have.
    ...BASICS.map((key) => ({ key, name: key, unit: BASIC_UNITS[key], direction: 'min' as const, reference: null, objective: false })),
  ]
  const seen = new Set<MetricKey>()
  const measures = all.flatMap(({ key, name, unit, direction, reference, objective }): Measure[] => {
    if (seen.has(key)) return []
    seen.add(key)
    // A measure that no plan has was not asked for.
    if (!objective && plans.length > 0 && !plans.some((plan) => Number.isFinite(valueOf(plan, key)))) return []
    return [{ key, name, unit, direction, reference, objective }]
  })
  const times = (key: MetricKey) => plans.map((plan) => plan.multiples[key] ?? Number.NaN)
  const objectives = measures.filter((m) => m.objective)
  const table: Table = {
    count: plans.length,
    objectives,
    measures,
    values: Object.fromEntries(measures.map(({ key }) => [key, plans.map((plan) => valueOf(plan, key))])),
    times: Object.fromEntries(measures.map(({ key }) => [key, times(key)])),
    multiples: objectives.map(({ key }) => times(key)),
  }
  tables.set(front, table)
  return table
}

export function measureOf(table: Table, key: MetricKey): Measure | undefined {
  return table.measures.find((m) => m.key === key)
}

export function columnOf(table: Table, key: MetricKey): readonly number[] {
  return table.values[key] ?? []
}

/** How many times the reference's value a plan's is, as a reader means it; null where there is nothing to divide by. */
export function multipleAt(table: Table, measure: Measure, index: number): number | null {
  // What is maximised is counted as reference / value, so that lower is better.
  const counted = table.times[measure.key]?.[index]
  if (counted !== undefined && Number.isFinite(counted)) return measure.direction === 'max' ? 1 / counted : counted
  const value = columnOf(table, measure.key)[index]
  return measure.reference && value !== undefined ? value / measure.reference : null
}

/** The measures that stand for a plan in three figures: its objectives, filled up with time, energy, balance. */
export function figuresOf(table: Table): Measure[] {
  const rest = BASICS.map((key) => measureOf(table, key)).filter((m) => m !== undefined)
  return [...new Set([...table.objectives, ...rest])].slice(0, 3)
}
