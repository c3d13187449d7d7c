/** The explorer's state as one object in the address: parse, write, compare. Bounds stand in API units. */
import { BOUNDED, type MetricKey } from '../types'
import type { Bound, Bounds, Weights } from './selection'
import { DEFAULT_WEIGHTS, parseWeights } from './weights'

export type Tab = 'timeline' | 'operators' | 'compare'
export type View = 'both' | 'scene' | 'parallel' | 'table'
export type Place = 'front' | 'choose' | 'plan' | 'work'

export const TABS: readonly Tab[] = ['timeline', 'operators', 'compare']
export const VIEWS: readonly View[] = ['both', 'scene', 'parallel', 'table']
export const PLACES: readonly Place[] = ['front', 'choose', 'plan', 'work']

export interface ExplorerState {
  readonly weights: Weights
  readonly bounds: Bounds
  /** Hash prefix of a plan picked by hand; null follows the weights. */
  readonly a: string | null
  readonly b: string | null
  readonly operator: number | null
  readonly tab: Tab
  readonly view: View
  /** Axes cover the passing plans only. */
  readonly fit: boolean
  readonly place: Place
}

export const INITIAL: ExplorerState = {
  weights: DEFAULT_WEIGHTS,
  bounds: {},
  a: null,
  b: null,
  operator: null,
  tab: 'timeline',
  view: 'both',
  fit: false,
  place: 'front',
}

const SHORT: Readonly<Record<MetricKey, string>> = {
  exec_time_ms: 't',
  energy_j: 'e',
  load_balance: 'v',
  peak_memory_bytes: 'm',
  transferred_bytes: 'x',
}
const HASH_DIGITS = 12

export function hashKey(hash: string): string {
  return hash.slice(0, HASH_DIGITS)
}

function number(text: string | null): number | null {
  if (text === null || text === '') return null
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : null
}

function oneOf<T extends string>(text: string | null, all: readonly T[], otherwise: T): T {
  return all.find((x) => x === text) ?? otherwise
}

/** Anything unreadable falls back to its default: an address never breaks the page. */
export function parseAddress(query: string): ExplorerState {
  const q = new URLSearchParams(query)
  // The router writes strings that look like JSON (a hash of digits only) in quotes.
  const get = (key: string) => q.get(key)?.replace(/^"(.*)"$/, '$1') ?? null
  const hash = (key: string) => {
    const text = get(key)
    return text && /^[0-9a-z]{1,64}$/i.test(text) ? text : null
  }
  const bounds: Partial<Record<MetricKey, Bound>> = {}
  for (const metric of BOUNDED) {
    const min = number(get(`min_${SHORT[metric]}`))
    const max = number(get(`max_${SHORT[metric]}`))
    const crossed = min !== null && max !== null && min > max
    if ((min !== null || max !== null) && !crossed) bounds[metric] = { min, max }
  }
  const operator = get('op')
  return {
    weights: parseWeights((get('w') ?? '').replaceAll('-', ',')) ?? INITIAL.weights,
    bounds,
    a: hash('a'),
    b: hash('b'),
    operator: operator !== null && /^\d{1,9}$/.test(operator) ? Number(operator) : null,
    tab: oneOf(get('tab'), TABS, INITIAL.tab),
    view: oneOf(get('view'), VIEWS, INITIAL.view),
    fit: get('fit') === '1',
    place: oneOf(get('at'), PLACES, INITIAL.place),
  }
}

/** Query text without "?"; only what differs from the initial state. */
export function writeAddress(state: ExplorerState): string {
  const q = new URLSearchParams()
  if (state.weights.some((w, i) => w !== INITIAL.weights[i])) q.set('w', state.weights.join('-'))
  for (const metric of BOUNDED) {
    const bound = state.bounds[metric]
    if (typeof bound?.min === 'number') q.set(`min_${SHORT[metric]}`, String(bound.min))
    if (typeof bound?.max === 'number') q.set(`max_${SHORT[metric]}`, String(bound.max))
  }
  if (state.a) q.set('a', state.a)
  if (state.b) q.set('b', state.b)
  if (state.operator !== null) q.set('op', String(state.operator))
  if (state.tab !== INITIAL.tab) q.set('tab', state.tab)
  if (state.view !== INITIAL.view) q.set('view', state.view)
  if (state.fit) q.set('fit', '1')
  if (state.place !== INITIAL.place) q.set('at', state.place)
  return q.toString()
}

/** Bounds with one side set or cleared; a metric without sides disappears. */
export function withBound(bounds: Bounds, metric: MetricKey, bound: Bound): Bounds {
  const others = Object.entries(bounds).filter(([key]) => key !== metric)
  const mine = bound.min === null && bound.max === null ? [] : [[metric, bound] as const]
  return Object.fromEntries([...others, ...mine])
}
