/** Weights always add up to 100: moving one shares the rest among the others in proportion. */
import type { Weights } from './selection'

/** What the weights are at first, by the number of objectives. */
const DEFAULTS: readonly Weights[] = [[], [100], [60, 40], [50, 30, 20]]
export const DEFAULT_WEIGHTS: Weights = [50, 30, 20]

export function defaultWeights(count: number): Weights {
  return DEFAULTS[count] ?? moveWeight(new Array<number>(count).fill(1), 0, Math.ceil(100 / count))
}

/** The weights if there is one for each of `count` objectives, otherwise the ones at first. */
export function fittedWeights(weights: Weights, count: number): Weights {
  return weights.length === count ? weights : defaultWeights(count)
}

/** Set weight `index` to `value` (clamped to 0..100, whole numbers); the others keep their proportion. */
export function moveWeight(weights: Weights, index: number, value: number): Weights {
  if (weights.length < 2) return weights.map(() => 100)
  const v = Math.min(100, Math.max(0, Math.round(Number.isFinite(value) ? value : (weights[index] ?? 0))))
  let rest = 100 - v
  let held = weights.reduce((sum, w, k) => (k === index ? sum : sum + w), 0)
  let left = weights.length - 1
  return weights.map((w, k) => {
    if (k === index) return v
    const mine = held > 0 ? Math.round((rest * w) / held) : Math.ceil(rest / left)
    rest -= mine
    held -= w
    left -= 1
    return mine
  })
}

/** Parse "50,30,20"; null unless whole numbers from 0 to 100 that add up to 100. */
export function parseWeights(text: string | null): Weights | null {
  const parts = (text ?? '').split(',')
  if (parts.some((p) => !/^\d{1,3}$/.test(p))) return null
  const weights = parts.map(Number)
  return weights.reduce((sum, w) => sum + w, 0) === 100 ? weights : null
}
