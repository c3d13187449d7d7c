// The form of a search's settings: texts in, checked settings out.
import type { SearchSettings } from '../../api/types'
import { fromInput, type Unit, UNITS } from '../../format/units'

export interface PlanForm {
  population: string
  generations: string
  seed: string
  cap: string
  fuse: boolean
  /** Keys in the order of the axes; the default ones when null. */
  objectives: string[] | null
  constraints: ConstraintForm[]
  items: string
  rate: string
}

/** A bound as text, in the unit that is shown beside it. */
export interface ConstraintForm {
  objective: string
  min: string
  max: string
}

/** Shown unit of a measure and how many stored ones it is. */
export function shownUnit(unit: string): Unit {
  return unit === 'bytes' ? UNITS.megabytes : { label: unit, factor: 1 }
}

export const DEFAULT_PLAN_FORM: PlanForm = { population: '', generations: '200', seed: '0', cap: '2', fuse: true, objectives: null, constraints: [], items: '', rate: '' }

/** The measure that is simulated with arrivals. */
const NEEDS_RATE = 'latency_p99_ms'

export const LIMITS = {
  population: [4, 4096],
  generations: [1, 10_000],
  seed: [0, 4_294_967_295],
  cap: [1, 100],
  items: [1, 1024],
  rate: [0.000_001, 1_000_000_000],
} as const

export type PlanField = keyof typeof LIMITS | 'constraints'

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

/** Why a bound cannot be sent, or null. */
export function constraintFault({ min, max }: ConstraintForm): 'empty' | 'number' | 'order' | null {
  const [low, high] = [min, max].map((text) => fromInput(text, { label: '', factor: 1 }))
  if (Number.isNaN(low ?? 0) || Number.isNaN(high ?? 0)) return 'number'
  if (low === null && high === null) return 'empty'
  return typeof low === 'number' && typeof high === 'number' && low > high ? 'order' : null
}

/**
 * Checks the form. Empty population is the engine's choice, an empty cap is no cap. `units` are the API units of
 * the measures by key.
 */
export function readPlanForm(form: PlanForm, units: Readonly<Record<string, string>> = {}): { settings: SearchSettings; wrong: PlanField[] } {
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
  if (form.objectives) settings.objectives = form.objectives
  if (form.constraints.some((bound) => constraintFault(bound) !== null)) wrong.push('constraints')
  else if (form.constraints.length)
    settings.constraints = form.constraints.map(({ objective, min, max }) => {
      const unit = shownUnit(units[objective] ?? '')
      return { objective, min: fromInput(min, unit), max: fromInput(max, unit) }
    })
  if (form.items.trim() !== '') {
    const items = wholeNumber(form.items, ...LIMITS.items)
    if (items === null) wrong.push('items')
    else settings.items_in_flight = items
  }
  if (form.rate.trim() === '') {
    const asked = [...(form.objectives ?? []), ...form.constraints.map(({ objective }) => objective)]
    if (asked.includes(NEEDS_RATE)) wrong.push('rate')
  } else {
    const rate = realNumber(form.rate, ...LIMITS.rate)
    if (rate === null) wrong.push('rate')
    else settings.arrival_rate_per_s = rate
  }
  return { settings, wrong }
}
