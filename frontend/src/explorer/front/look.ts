/** How every plan looks: its colour by score or by a measure, and the size of its mark by another. */
import { columnOf, measureOf } from '../logic/measures'
import type { Model } from '../logic/model'
import { rampStep, rankColours } from '../logic/ramp'
import type { Tokens } from '../../theme/tokens'

export interface Look {
  /** Passing plans, those that stand out first. */
  readonly order: readonly number[]
  /** Plans that a bound removes, or all when none passes. */
  readonly out: readonly number[]
  readonly colours: readonly string[]
  /** Factor of the usual radius. */
  readonly sizes: readonly number[]
}

const SMALLEST = 0.7
const LARGEST = 2

/** Share of the way from the least to the largest of `values` at `among`; a constant has no way and is in the middle. */
function shares(values: readonly number[], among: readonly number[]): (index: number) => number {
  const low = among.reduce((m, i) => Math.min(m, values[i] ?? Infinity), Infinity)
  const high = among.reduce((m, i) => Math.max(m, values[i] ?? -Infinity), -Infinity)
  return (i) => (high > low ? Math.min(1, Math.max(0, ((values[i] ?? low) - low) / (high - low))) : 0.5)
}

const made = new WeakMap<Model, { readonly of: string; readonly look: Look }>()

/** The same for every view that draws this model in this theme. */
export function lookOf(model: Model, tokens: Tokens): Look {
  const known = made.get(model)
  if (known?.of === tokens.of) return known.look
  const look = freshLook(model, tokens)
  made.set(model, { of: tokens.of, look })
  return look
}

function freshLook(model: Model, tokens: Tokens): Look {
  const { selection, table, axes, plans } = model
  const none = selection.nPassing === 0
  const ranked = none ? [] : selection.ranked
  const hidden = tokens.value('score-out')
  const out = plans.map((_, i) => i).filter((i) => none || !selection.passing[i])
  let colours = rankColours(plans.length, ranked, tokens.score, hidden)
  let order = ranked
  const by = axes.colour === null ? undefined : measureOf(table, axes.colour)
  if (by) {
    const share = shares(columnOf(table, by.key), ranked)
    const good = (i: number) => (by.direction === 'max' ? share(i) : 1 - share(i))
    colours = plans.map((_, i) => (none || !selection.passing[i] ? hidden : rampStep(tokens.score, good(i))))
    order = [...ranked].sort((a, b) => good(b) - good(a) || a - b)
  }
  const size = axes.size === null ? null : shares(columnOf(table, axes.size), ranked)
  return { order, out, colours, sizes: plans.map((_, i) => (size ? SMALLEST + (LARGEST - SMALLEST) * size(i) : 1)) }
}
