/** Weights always add up to 100: moving one shares the rest among the others in proportion. */
import type { Weights } from './selection'

export const DEFAULT_WEIGHTS: Weights = [50, 30, 20]

/** Set weight `index` to `value` (clamped to 0..100, whole numbers); the others keep their proportion. */
export function moveWeight(weights: Weights, index: 0 | 1 | 2, value: number): Weights {
  const v = Math.min(100, Math.max(0, Math.round(Number.isFinite(value) ? value : weights[index])))
  const [i, j] = ([0, 1, 2] as const).filter((k) => k !== index) as [0 | 1 | 2, 0 | 1 | 2]
  const rest = 100 - v
  const held = weights[i] + weights[j]
  const first = held > 0 ? Math.round((rest * weights[i]) / held) : Math.ceil(rest / 2)
  const next: [number, number, number] = [0, 0, 0]
  next[index] = v
  next[i] = first
  next[j] = rest - first
  return next
}

/** Parse "50,30,20"; null unless three whole numbers from 0 to 100 that add up to 100. */
export function parseWeights(text: string | null): Weights | null {
  const parts = (text ?? '').split(',')
  if (parts.length !== 3 || parts.some((p) => !/^\d{1,3}$/.test(p))) return null
  const [a = 0, b = 0, c = 0] = parts.map(Number)
  return a + b + c === 100 ? [a, b, c] : null
}
