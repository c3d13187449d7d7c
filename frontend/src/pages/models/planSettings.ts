// The form of a search's settings: texts in, checked settings out.
import type { SearchSettings } from '../../api/types'

export interface PlanForm {
  population: string
  generations: string
  seed: string
  cap: string
  fuse: boolean
}

export const DEFAULT_PLAN_FORM: PlanForm = { population: '', generations: '200', seed: '0', cap: '2', fuse: true }

export const LIMITS = {
  population: [4, 4096],
  generations: [1, 10_000],
  seed: [0, 4_294_967_295],
  cap: [1, 100],
} as const

export type PlanField = keyof typeof LIMITS

/** The whole number in `text` if it lies in [low, high], else null. */
export function wholeNumber(text: string, low: number, high: number): number | null {
  const trimmed = text.trim()
  if (!/^\d+$/.test(trimmed)) return null
  const value = Number(trimmed)
  return value >= low && value <= high ? value : null
}

function realNumber(text: string, low: number, high: number): number | null {
  const trimmed = text.trim()
  const value = Number(trimmed)
  return trimmed !== '' && Number.isFinite(value) && value >= low && value <= high ? value : null
}

/** Checks the form. Empty population is the engine's choice, an empty cap is no cap. */
export function readPlanForm(form: PlanForm): { settings: SearchSettings; wrong: PlanField[] } {
  const wrong: PlanField[] = []
  const settings: SearchSettings = { fuse: form.fuse }
  if (form.population.trim() !== '') {
    const population = wholeNumber(form.population, ...LIMITS.population)
    if (population === null) wrong.push('population')
    else settings.population_size = population
  }
  const generations = wholeNumber(form.generations, ...LIMITS.generations)
  if (generations === null) wrong.push('generations')
  else settings.generations = generations
  const seed = wholeNumber(form.seed, ...LIMITS.seed)
  if (seed === null) wrong.push('seed')
  else settings.seed = seed
  if (form.cap.trim() === '') settings.makespan_cap = null
  else {
    const cap = realNumber(form.cap, ...LIMITS.cap)
    if (cap === null) wrong.push('cap')
    else settings.makespan_cap = cap
  }
  return { settings, wrong }
}
