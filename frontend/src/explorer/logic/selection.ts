/** Choice of a plan by weights and bounds; the same rule as heteroopt/front/rules.py. Pure, nothing is rounded. */
import { METRICS, type MetricKey, type Plan } from '../types'
import { byKeys, TIE_TOLERANCE } from './order'

/** Shares of time, energy and balance. Any scale; only the proportions count. */
export type Weights = readonly [number, number, number]
export interface Bound {
  readonly min: number | null
  readonly max: number | null
}
export type Bounds = Readonly<Partial<Record<MetricKey, Bound>>>
export type Side = 'min' | 'max'

export type Candidate = Pick<Plan, MetricKey | 'exec_time_x' | 'energy_x' | 'load_balance_x'>
/** Values of the reference plan in API units, for bounds of 0. */
export type Reference = Readonly<Partial<Record<MetricKey, number>>>

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
  readonly removedBy: Readonly<Partial<Record<MetricKey, number>>>
  /** The same for each side alone, as `exec_time_ms.max`. */
  readonly removedBySide: Readonly<Record<string, number>>
  /** Set when no plan passes, with what it misses. */
  readonly nearest: number | null
  readonly violations: readonly Violation[]
}

/** Null when the weights can order plans, otherwise the code of the refusal. */
export function weightsProblem(weights: readonly number[]): 'weights_invalid' | 'weights_zero' | null {
  if (weights.length !== 3 || weights.some((w) => !Number.isFinite(w) || w < 0)) return 'weights_invalid'
  return weights.every((w) => w === 0) ? 'weights_zero' : null
}

/** Null when the bounds can be applied, otherwise the code of the refusal. */
export function boundsProblem(bounds: Bounds): 'bound_unknown' | 'bound_invalid' | 'bound_crossed' | null {
  for (const [metric, bound] of Object.entries(bounds)) {
    if (!METRICS.some((m) => m === metric)) return 'bound_unknown'
    const { min, max } = bound
    if ((min !== null && !Number.isFinite(min)) || (max !== null && !Number.isFinite(max))) return 'bound_invalid'
    if (min !== null && max !== null && min > max) return 'bound_crossed'
  }
  return null
}

export function multiplesOf(plan: Candidate): readonly [number, number, number] {
  return [plan.exec_time_x, plan.energy_x, plan.load_balance_x]
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

function limitsOf(bounds: Bounds): Limit[] {
  return METRICS.flatMap((metric) =>
    (['min', 'max'] as const).flatMap((side) => {
      const limit = bounds[metric]?.[side]
      return limit === null || limit === undefined ? [] : [{ metric, side, limit }]
    }),
  )
}

export function violationsOf(plan: Candidate, bounds: Bounds): Violation[] {
  return limitsOf(bounds)
    .map(({ metric, side, limit }) => ({ metric, side, amount: excess(plan[metric], side, limit) }))
    .filter(({ amount }) => amount > 0)
}

export function hasBounds(bounds: Bounds): boolean {
  return limitsOf(bounds).length > 0
}

/** Weighted sum, distance to the ideal of all plans (weighted Chebyshev), then time, energy and balance. */
function scoreKeys(plans: readonly Candidate[], weights: Weights): ((index: number) => number)[] {
  const total = weights[0] + weights[1] + weights[2]
  const [wt, we, wb] = weights.map((w) => w / total) as unknown as Weights
  const rows = plans.map(multiplesOf)
  const ideal = [0, 1, 2].map((k) => rows.reduce((least, row) => Math.min(least, row[k] ?? 0), Infinity))
  const [it = 0, ie = 0, ib = 0] = ideal
  const scores = rows.map(([t, e, b]) => wt * t + we * e + wb * b)
  const away = rows.map(([t, e, b]) => Math.max(wt * (t - it), we * (e - ie), wb * (b - ib)))
  const read = (list: readonly number[]) => (i: number) => list[i] ?? 0
  return [read(scores), read(away), ...([0, 1, 2] as const).map((k) => (i: number) => rows[i]?.[k] ?? 0)]
}

/** Rank `plans`. Throws RangeError with the code of `weightsProblem` or `boundsProblem`. */
export function select(plans: readonly Candidate[], weights: Weights, bounds: Bounds, reference: Reference = {}): Selection {
  const problem = weightsProblem(weights) ?? boundsProblem(bounds)
  if (problem) throw new RangeError(problem)
  const keys = scoreKeys(plans, weights)
  const scores = plans.map((_, i) => keys[0]?.(i) ?? 0)
  const limits = limitsOf(bounds)
  const passing = plans.map(() => true)
  const broken = plans.map(() => 0)
  const removedBy: Partial<Record<MetricKey, number>> = {}
  const removedBySide: Record<string, number> = {}
  for (const { metric, side, limit } of limits) {
    let removed = 0
    plans.forEach((plan, i) => {
      const amount = excess(plan[metric], side, limit)
      if (amount === 0) return
      removed += 1
      passing[i] = false
      const size = Math.abs(limit) || Math.abs(reference[metric] ?? 0) || 1
      broken[i] = (broken[i] ?? 0) + amount / size
    })
    removedBySide[`${metric}.${side}`] = removed
    // A plan cannot be below the minimum and above the maximum of one metric at once.
    removedBy[metric] = (removedBy[metric] ?? 0) + removed
  }
  const all = plans.map((_, i) => i)
  const good = byKeys(
    all.filter((i) => passing[i]),
    keys,
  )
  const shared = { passing, nPassing: good.length, scores, removedBy, removedBySide }
  const best = good[0]
  if (best !== undefined) return { ...shared, chosen: best, ranked: good, nearest: null, violations: [] }
  const ranked = byKeys(all, [(i) => broken[i] ?? 0, ...keys])
  const nearest = ranked[0]
  const plan = nearest === undefined ? undefined : plans[nearest]
  if (nearest === undefined || !plan) return { ...shared, chosen: -1, ranked, nearest: null, violations: [] }
  return { ...shared, chosen: nearest, ranked, nearest, violations: violationsOf(plan, bounds) }
}

export type PresetKey = 'fastest' | 'least_energy' | 'most_balanced'
const ALONE: Readonly<Record<PresetKey, Weights>> = {
  fastest: [1, 0, 0],
  least_energy: [0, 1, 0],
  most_balanced: [0, 0, 1],
}

/** Best of the passing plans (of all when none passes) with one objective alone; -1 for an empty front. */
export function presetIndex(plans: readonly Candidate[], passing: readonly boolean[], key: PresetKey): number {
  const any = passing.some(Boolean)
  const among = plans.map((_, i) => i).filter((i) => !any || passing[i])
  return byKeys(among, scoreKeys(plans, ALONE[key]))[0] ?? -1
}
