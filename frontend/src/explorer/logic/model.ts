/** What every view draws from: the front, the state of the address and the selection that follows from both. */
import type { Front, MetricKey, Plan } from '../types'
import { type ExplorerState, hashKey } from './address'
import { type Axes, axesOf } from './axes'
import { columnOf, figuresOf, type Measure, measureOf, type Table, tableOf } from './measures'
import { type Scales, scalesOf } from './scales'
import { bestBy, type Bounds, select, type Selection, type Weights } from './selection'
import { fittedWeights } from './weights'

export interface Model {
  readonly front: Front
  readonly plans: readonly Plan[]
  readonly table: Table
  /** The three measures that stand for a plan: its objectives first. */
  readonly figures: readonly Measure[]
  /** What the front is drawn over. */
  readonly axes: Axes
  readonly scales: Scales
  /** One weight an objective. */
  readonly weights: Weights
  /** The bounds on measures that this front has. */
  readonly bounds: Bounds
  readonly selection: Selection
  /** Positions of A and B among the plans; -1 when there is none. */
  readonly a: number
  readonly b: number
  /** A was picked by hand (and still exists). */
  readonly picked: boolean
  /** A was picked by hand, but a better plan has replaced it. */
  readonly lost: boolean
  /** Position of A in the ranking, 0-based; -1 when a bound removes it. */
  readonly rank: number
}

function find(plans: readonly Plan[], hash: string | null): number {
  return hash ? plans.findIndex((p) => p.hash.startsWith(hash)) : -1
}

/** B when none was chosen: the best passing plan by the second figure, or by another when that is A. */
function automaticB(table: Table, figures: readonly Measure[], passing: readonly boolean[], a: number): number {
  for (const at of [1, 0, 2]) {
    const figure = figures[at]
    const best = figure ? bestBy(table, passing, figure.key) : -1
    if (best >= 0 && best !== a) return best
  }
  return -1
}

export type Choice = Pick<ExplorerState, 'weights' | 'bounds' | 'a' | 'b' | 'against' | 'axes' | 'colour' | 'size'>

export function buildModel(front: Front, state: Choice): Model {
  const { plans } = front
  const table = tableOf(front)
  const figures = figuresOf(table)
  const weights = fittedWeights(state.weights, table.objectives.length)
  const bounds = Object.fromEntries(Object.entries(state.bounds).filter(([key]) => measureOf(table, key)))
  const selection = select(table, weights, bounds)
  const held = find(plans, state.a)
  const a = held >= 0 ? held : selection.chosen
  const heldB = find(plans, state.b)
  return {
    front,
    plans,
    table,
    figures,
    axes: axesOf(table, state),
    scales: scalesOf(front),
    weights,
    bounds,
    selection,
    a,
    b: state.against !== null ? -1 : heldB >= 0 ? heldB : automaticB(table, figures, selection.passing, a),
    picked: held >= 0,
    lost: state.a !== null && held < 0,
    rank: selection.ranked.indexOf(a),
  }
}

/** Value of the plan at `index` in API units. */
export function planValue(model: Pick<Model, 'table'>, index: number, key: MetricKey): number {
  return columnOf(model.table, key)[index] ?? Number.NaN
}

/** Knee of the plans that the server named, otherwise null. */
export function kneeIndex(front: Front): number | null {
  if (front.knee === null) return null
  const at = front.plans.findIndex((p) => p.number === front.knee)
  return at >= 0 ? at : null
}

/**
 * The knee among the plans that pass: the server's when nothing is removed, otherwise the plan nearest to the
 * ideal of the passing plans after scaling each objective to their range.
 */
export function kneeOf(model: Model): number {
  const { plans, selection, front, table } = model
  const server = kneeIndex(front)
  const among = selection.nPassing ? selection.ranked : plans.map((_, i) => i)
  if (server !== null && (among.length === plans.length || !selection.nPassing)) return server
  if (!among.length) return -1
  const away = among.map(() => 0)
  for (const column of table.multiples) {
    const mine = among.map((i) => column[i] ?? 0)
    const low = mine.reduce((x, y) => Math.min(x, y), Infinity)
    const width = mine.reduce((x, y) => Math.max(x, y), -Infinity) - low || 1
    mine.forEach((x, at) => (away[at] = (away[at] ?? 0) + ((x - low) / width) ** 2))
  }
  const least = away.reduce((best, x, at) => (x < (away[best] ?? Infinity) ? at : best), 0)
  return among[least] ?? -1
}

/** The best passing plan by one measure, or the knee. */
export function presetOf(model: Model, key: MetricKey): number {
  return key === 'knee' ? kneeOf(model) : bestBy(model.table, model.selection.passing, key)
}

export function pick(plan: Plan | undefined): string | null {
  return plan ? hashKey(plan.hash) : null
}
