/** What every view draws from: the front, the state of the address and the selection that follows from both. */
import type { Front, Plan } from '../types'
import { type ExplorerState, hashKey } from './address'
import { type Scales, scalesOf } from './scales'
import { multiplesOf, presetIndex, type PresetKey, select, type Selection } from './selection'

export interface Model {
  readonly front: Front
  readonly plans: readonly Plan[]
  readonly scales: Scales
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

/** B when none was chosen: the passing plan with the least energy, or the fastest when that is A. */
function automaticB(plans: readonly Plan[], passing: readonly boolean[], a: number): number {
  const first = presetIndex(plans, passing, 'least_energy')
  if (first !== a) return first
  const second = presetIndex(plans, passing, 'fastest')
  if (second !== a) return second
  const third = presetIndex(plans, passing, 'most_balanced')
  return third === a ? -1 : third
}

export type Choice = Pick<ExplorerState, 'weights' | 'bounds' | 'a' | 'b'>

export function buildModel(front: Front, state: Choice): Model {
  const { plans } = front
  const reference = Object.fromEntries(front.objectives.map((o) => [o.key, o.reference]))
  const selection = select(plans, state.weights, state.bounds, reference)
  const held = find(plans, state.a)
  const a = held >= 0 ? held : selection.chosen
  const heldB = find(plans, state.b)
  return {
    front,
    plans,
    scales: scalesOf(front),
    selection,
    a,
    b: heldB >= 0 ? heldB : automaticB(plans, selection.passing, a),
    picked: held >= 0,
    lost: state.a !== null && held < 0,
    rank: selection.ranked.indexOf(a),
  }
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
  const { plans, selection, front } = model
  const server = kneeIndex(front)
  const among = selection.nPassing ? selection.ranked : plans.map((_, i) => i)
  if (server !== null && (among.length === plans.length || !selection.nPassing)) return server
  if (!among.length) return -1
  const points = among.map((i) => {
    const plan = plans[i]
    return plan ? multiplesOf(plan) : ([0, 0, 0] as const)
  })
  const low = [0, 1, 2].map((k) => Math.min(...points.map((p) => p[k] ?? 0)))
  const high = [0, 1, 2].map((k) => Math.max(...points.map((p) => p[k] ?? 0)))
  let best = -1
  let least = Infinity
  points.forEach((p, at) => {
    const away = p.reduce((sum, x, k) => sum + ((x - (low[k] ?? 0)) / ((high[k] ?? 0) - (low[k] ?? 0) || 1)) ** 2, 0)
    if (away < least) {
      least = away
      best = among[at] ?? -1
    }
  })
  return best
}

export function presetOf(model: Model, key: PresetKey | 'knee'): number {
  return key === 'knee' ? kneeOf(model) : presetIndex(model.plans, model.selection.passing, key)
}

export function pick(plan: Plan | undefined): string | null {
  return plan ? hashKey(plan.hash) : null
}
