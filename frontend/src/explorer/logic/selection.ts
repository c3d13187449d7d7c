/** Choice of a plan by weights and bounds; the same rule as heteroopt/front/rules.py. Pure, nothing is rounded. */
import type { MetricKey } from '../types'
import { columnOf, measureOf, type Table } from './measures'
import { byKeys, firstBy, TIE_TOLERANCE } from './order'

/** Shares of the objectives, in their order. Any scale; only the proportions count. */
export type Weights = readonly number[]
export interface Bound {
  readonly min: number | null
  readonly max: number | null
}
export type Bounds = Readonly<Record<MetricKey, Bound>>
export type Side = 'min' | 'max'

export interface Violation {
  readonly metric: MetricKey
  readonly side: Side
  /** Distance beyond the bound in API units, positive. */
  readonly amount: number
}

export interface Selection {
  /** Position of the best passing plan; when none passes, of the nearest; -1 for an empty front. */
  readonly chosen: number
  readonly passing: readonly boolean[]
  readonly nPassing: number
  /** Positions of passing plans, best first; when none passes, all plans, least violation first. */
  readonly ranked: readonly number[]
  /** Weighted sums of the multiples, lower is better. */
  readonly scores: readonly number[]
  /** How many plans each bounded metric alone removes. */
  readonly removedBy: Readonly<Record<MetricKey, number>>
  /** The same for each side alone, as `exec_time_ms.max`. */
  readonly removedBySide: Readonly<Record<string, number>>
  /** Set when no plan passes, with what it misses. */
  readonly nearest: number | null
  readonly violations: readonly Violation[]
}

/** Null when the weights can order plans, otherwise the code of the refusal. */
export function weightsProblem(weights: Weights, count: number): 'weights_invalid' | 'weights_zero' | null {
  if (weights.length !== count || weights.some((w) => !Number.isFinite(w) || w < 0)) return 'weights_invalid'
  return weights.every((w) => w === 0) ? 'weights_zero' : null
}

/** Null when the bounds can be applied, otherwise the code of the refusal. */
export function boundsProblem(table: Table, bounds: Bounds): 'bound_unknown' | 'bound_invalid' | 'bound_crossed' | null {
  for (const [metric, { min, max }] of Object.entries(bounds)) {
    if (!measureOf(table, metric)) return 'bound_unknown'
    if ((min !== null && !Number.isFinite(min)) || (max !== null && !Number.isFinite(max))) return 'bound_invalid'
    if (min !== null && max !== null && min > max) return 'bound_crossed'
  }
  return null
}

/** Distance of `value` beyond a limit; 0 within a relative 1e-9 of it. */
function excess(value: number, side: Side, limit: number): number {
  const beyond = side === 'max' ? value - limit : limit - value
  return beyond > TIE_TOLERANCE * Math.abs(limit) ? beyond : 0
}

interface Limit {
  readonly metric: MetricKey
  readonly side: Side
  readonly limit: number
}

function limitsOf(table: Table, bounds: Bounds): Limit[] {
  return table.measures.flatMap(({ key: metric }) =>
    (['min', 'max'] as const).flatMap((side) => {
      const limit = bounds[metric]?.[side]
      return limit === null || limit === undefined ? [] : [{ metric, side, limit }]
    }),
  )
}

/** What the plan at `index` misses, in the order of the measures. */
export function violationsOf(table: Table, bounds: Bounds, index: number): Violation[] {
  return limitsOf(table, bounds)
    .map(({ metric, side, limit }) => ({ metric, side, amount: excess(columnOf(table, metric)[index] ?? 0, side, limit) }))
    .filter(({ amount }) => amount > 0)
}

export function hasBounds(bounds: Bounds): boolean {
  return Object.values(bounds).some(({ min, max }) => min !== null || max !== null)
}

type Key = (index: number) => number
const read = (list: readonly number[]): Key => (i) => list[i] ?? 0

/** Weighted sum, distance to the ideal of all plans (weighted Chebyshev), then the objectives in their order. */
function scoreKeys({ multiples, count }: Table, weights: Weights): { scores: number[]; keys: Key[] } {
  const total = weights.reduce((sum, w) => sum + w, 0)
  const scores = new Array<number>(count).fill(0)
  const away = new Array<number>(count).fill(0)
  multiples.forEach((column, k) => {
    const weight = (weights[k] ?? 0) / total
    // An infinite multiple that does not count must not spoil the sum.
    if (weight === 0) return
    const ideal = column.reduce((least, x) => Math.min(least, x), Infinity)
    column.forEach((x, i) => {
      scores[i] = (scores[i] ?? 0) + weight * x
      away[i] = Math.max(away[i] ?? 0, weight * (x - ideal))
    })
  })
  return { scores, keys: [read(scores), read(away), ...multiples.map(read)] }
}

/** What bounds leave of a table: it does not depend on the weights, and stays the same object while only they move. */
interface Left {
  readonly key: string
  readonly passing: readonly boolean[]
  readonly broken: readonly number[]
  readonly good: readonly number[]
  readonly removedBy: Readonly<Record<MetricKey, number>>
  readonly removedBySide: Readonly<Record<string, number>>
}

const left = new WeakMap<Table, Left>()

function leftBy(table: Table, bounds: Bounds): Left {
  const limits = limitsOf(table, bounds)
  const key = JSON.stringify(limits)
  const known = left.get(table)
  if (known?.key === key) return known
  const passing = new Array<boolean>(table.count).fill(true)
  const broken = new Array<number>(table.count).fill(0)
  const removedBy: Record<MetricKey, number> = {}
  const removedBySide: Record<string, number> = {}
  for (const { metric, side, limit } of limits) {
    const size = Math.abs(limit) || Math.abs(measureOf(table, metric)?.reference ?? 0) || 1
    let removed = 0
    columnOf(table, metric).forEach((value, i) => {
      const amount = excess(value, side, limit)
      if (amount === 0) return
      removed += 1
      passing[i] = false
      broken[i] = (broken[i] ?? 0) + amount / size
    })
    removedBySide[`${metric}.${side}`] = removed
    // A plan cannot be below the minimum and above the maximum of one metric at once.
    removedBy[metric] = (removedBy[metric] ?? 0) + removed
  }
  const good = passing.flatMap((passes, i) => (passes ? [i] : []))
  const fresh = { key, passing, broken, good, removedBy, removedBySide }
  left.set(table, fresh)
  return fresh
}

/** Rank the plans of `table`. Throws RangeError with the code of `weightsProblem` or `boundsProblem`. */
export function select(table: Table, weights: Weights, bounds: Bounds): Selection {
  const problem = weightsProblem(weights, table.objectives.length) ?? boundsProblem(table, bounds)
  if (problem) throw new RangeError(problem)
  const { scores, keys } = scoreKeys(table, weights)
  const { passing, broken, good: among, removedBy, removedBySide } = leftBy(table, bounds)
  const good = byKeys(among, keys)
  const shared = { passing, nPassing: good.length, scores, removedBy, removedBySide }
  const best = good[0]
  if (best !== undefined) return { ...shared, chosen: best, ranked: good, nearest: null, violations: [] }
  const ranked = byKeys(passing.map((_, i) => i), [read(broken), ...keys])
  const nearest = ranked[0]
  if (nearest === undefined) return { ...shared, chosen: -1, ranked, nearest: null, violations: [] }
  return { ...shared, chosen: nearest, ranked, nearest, violations: violationsOf(table, bounds, nearest) }
}

const bests = new WeakMap<readonly boolean[], { readonly table: Table; readonly of: Map<MetricKey, number> }>()

/** Best of the passing plans (of all when none passes) by one measure alone; -1 for an empty front. */
export function bestBy(table: Table, passing: readonly boolean[], key: MetricKey): number {
  let known = bests.get(passing)
  if (known?.table !== table) bests.set(passing, (known = { table, of: new Map() }))
  const best = known.of.get(key) ?? freshBest(table, passing, key)
  known.of.set(key, best)
  return best
}

function freshBest(table: Table, passing: readonly boolean[], key: MetricKey): number {
  const any = passing.some(Boolean)
  const among = Array.from({ length: table.count }, (_, i) => i).filter((i) => !any || passing[i])
  const at = table.objectives.findIndex((m) => m.key === key)
  if (at >= 0) {
    const alone = table.objectives.map((_, k) => (k === at ? 1 : 0))
    return firstBy(among, scoreKeys(table, alone).keys)
  }
  const measure = measureOf(table, key)
  if (!measure) return -1
  const values = columnOf(table, key)
  const sign = measure.direction === 'max' ? -1 : 1
  return firstBy(among, [(i) => sign * (values[i] ?? 0), ...table.multiples.map(read)])
}
