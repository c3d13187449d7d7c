/** The explorer's state as one object in the address: parse, write, compare. Bounds stand in API units. */
import type { MetricKey } from '../types'
import type { Triple } from './axes'
import { parseForbidden, parsePins, type Pins, writeForbidden, writePins } from './pins'
import type { Bound, Bounds, Weights } from './selection'
import { DEFAULT_WEIGHTS, parseWeights } from './weights'

export type Tab = 'timeline' | 'graph' | 'operators' | 'compare'
export type View = 'both' | 'scene' | 'parallel' | 'table'
export type Place = 'front' | 'choose' | 'plan' | 'work'

export const TABS: readonly Tab[] = ['timeline', 'graph', 'operators', 'compare']
export const VIEWS: readonly View[] = ['both', 'scene', 'parallel', 'table']
export const PLACES: readonly Place[] = ['front', 'choose', 'plan', 'work']

/** A stretch of the plan's time, in ms; `to` lies after `from`. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface ExplorerState {
  readonly weights: Weights
  readonly bounds: Bounds
  /** Hash prefix of a plan picked by hand; null follows the weights. */
  readonly a: string | null
  readonly b: string | null
  /** Id of the search that B is a plan of; null: this one. */
  readonly against: string | null
  readonly operator: number | null
  /** Operators of plan A that are tried elsewhere; null: none. */
  readonly moves: Pins | null
  readonly tab: Tab
  readonly view: View
  /** Axes cover the passing plans only. */
  readonly fit: boolean
  readonly place: Place
  /** Measures on the axes of the front; null: the objectives. */
  readonly axes: Triple | null
  /** Measure that colours the plans; null: the weighted score. */
  readonly colour: MetricKey | null
  /** Measure that sizes the marks; null: all alike. */
  readonly size: MetricKey | null
  /** Pins and forbidden devices of the next search; null: those of this one. */
  readonly pins: Pins | null
  readonly forbidden: readonly number[] | null
  /** The search whose front is drawn under this one; null: the one that this search started from; "none". */
  readonly over: string | null
  /** Generation that is replayed under the front; null: none. */
  readonly generation: number | null
  /** The timeline shows several items in flight; null: where the search is about them. */
  readonly items: boolean | null
  /** Stretch of time that the timeline shows; null: all of it, or that around the mark. */
  readonly zoom: Span | null
  /** Stretch of time that is marked in the timeline. */
  readonly mark: Span | null
  /** Name of the device whose lane is marked. */
  readonly lane: string | null
  /** The timeline is shown as a table. */
  readonly rows: boolean
  /** The comparison shows the graph instead of the timelines. */
  readonly difference: boolean
  /** What the table of operators is searched for. */
  readonly find: string
}

export const INITIAL: ExplorerState = {
  weights: DEFAULT_WEIGHTS,
  bounds: {},
  a: null,
  b: null,
  against: null,
  operator: null,
  moves: null,
  tab: 'timeline',
  view: 'both',
  fit: false,
  place: 'front',
  axes: null,
  colour: null,
  size: null,
  pins: null,
  forbidden: null,
  over: null,
  generation: null,
  items: null,
  zoom: null,
  mark: null,
  lane: null,
  rows: false,
  difference: false,
  find: '',
}

/** Short names in the address; every other measure stands there by its key. */
const SHORT: Readonly<Record<MetricKey, string>> = {
  exec_time_ms: 't',
  energy_j: 'e',
  load_balance: 'v',
  peak_memory_bytes: 'm',
  transferred_bytes: 'x',
}
const shortOf = (key: MetricKey): string => (Object.hasOwn(SHORT, key) ? (SHORT[key] ?? key) : key)
const LONG: ReadonlyMap<string, MetricKey> = new Map(Object.entries(SHORT).map(([key, short]) => [short, key]))

function metric(text: string | null): MetricKey | null {
  return text !== null && /^[a-z][a-z0-9_]{0,63}$/.test(text) ? (LONG.get(text) ?? text) : null
}

function triple(text: string | null): Triple | null {
  const [x, y, z, ...more] = (text ?? '').split('.').map(metric)
  return x && y && z && more.length === 0 && new Set([x, y, z]).size === 3 ? [x, y, z] : null
}

const HASH_DIGITS = 12
/** Longest search for operators that the address keeps. */
export const FIND_LENGTH = 200

export function hashKey(hash: string): string {
  return hash.slice(0, HASH_DIGITS)
}

function number(text: string | null): number | null {
  if (text === null || text === '') return null
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : null
}

const SPAN = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)-(\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i

function span(text: string | null): Span | null {
  const [, first, last] = SPAN.exec(text ?? '') ?? []
  const [from, to] = [Number(first), Number(last)]
  return Number.isFinite(to) && to > from ? { from, to } : null
}

/** Seven digits: closer than a pixel of any screen. */
export function writeSpan({ from, to }: Span): string {
  const short = (ms: number) => Number(ms.toPrecision(7))
  return short(to) > short(from) ? `${short(from)}-${short(to)}` : `${from}-${to}`
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
  const bounds: Record<MetricKey, Bound> = {}
  for (const given of q.keys()) {
    const key = /^(?:min|max)_/.test(given) ? metric(given.slice(4)) : null
    if (key === null || Object.hasOwn(bounds, key)) continue
    const min = number(get(`min_${shortOf(key)}`))
    const max = number(get(`max_${shortOf(key)}`))
    const crossed = min !== null && max !== null && min > max
    if ((min !== null || max !== null) && !crossed) bounds[key] = { min, max }
  }
  const operator = get('op')
  return {
    weights: parseWeights((get('w') ?? '').replaceAll('-', ',')) ?? INITIAL.weights,
    bounds,
    a: hash('a'),
    b: hash('b'),
    against: ((text) => (text && /^[0-9a-f-]{36}$/i.test(text) ? text : null))(get('bs')),
    operator: operator !== null && /^\d{1,9}$/.test(operator) ? Number(operator) : null,
    moves: ((moves) => (moves && Object.keys(moves).length ? moves : null))(parsePins(get('try'))),
    tab: oneOf(get('tab'), TABS, INITIAL.tab),
    view: oneOf(get('view'), VIEWS, INITIAL.view),
    fit: get('fit') === '1',
    place: oneOf(get('at'), PLACES, INITIAL.place),
    axes: triple(get('axes')),
    colour: metric(get('colour')),
    size: metric(get('size')),
    pins: parsePins(get('pin')),
    forbidden: parseForbidden(get('ban')),
    over: ((text) => (text && /^(none|[0-9a-f-]{36})$/i.test(text) ? text : null))(get('over')),
    generation: ((text) => (text !== null && /^\d{1,7}$/.test(text) ? Number(text) : null))(get('gen')),
    items: ({ '0': false, '1': true } as Record<string, boolean>)[get('items') ?? ''] ?? null,
    zoom: span(get('zoom')),
    mark: span(get('mark')),
    lane: ((text) => (text && text.length <= 200 ? text : null))(get('lane')),
    rows: get('rows') === '1',
    difference: get('diff') === '1',
    find: (get('find') ?? '').slice(0, FIND_LENGTH),
  }
}

/** Query text without "?"; only what differs from the initial state. */
export function writeAddress(state: ExplorerState): string {
  const q = new URLSearchParams()
  if (state.weights.join() !== INITIAL.weights.join()) q.set('w', state.weights.join('-'))
  for (const [key, { min, max }] of Object.entries(state.bounds)) {
    if (min !== null) q.set(`min_${shortOf(key)}`, String(min))
    if (max !== null) q.set(`max_${shortOf(key)}`, String(max))
  }
  if (state.a) q.set('a', state.a)
  if (state.b) q.set('b', state.b)
  if (state.against) q.set('bs', state.against)
  if (state.operator !== null) q.set('op', String(state.operator))
  if (state.moves) q.set('try', writePins(state.moves))
  if (state.tab !== INITIAL.tab) q.set('tab', state.tab)
  if (state.view !== INITIAL.view) q.set('view', state.view)
  if (state.fit) q.set('fit', '1')
  if (state.place !== INITIAL.place) q.set('at', state.place)
  if (state.axes) q.set('axes', state.axes.map(shortOf).join('.'))
  if (state.colour) q.set('colour', shortOf(state.colour))
  if (state.size) q.set('size', shortOf(state.size))
  if (state.pins) q.set('pin', writePins(state.pins))
  if (state.forbidden) q.set('ban', writeForbidden(state.forbidden))
  if (state.over) q.set('over', state.over)
  if (state.generation !== null) q.set('gen', String(state.generation))
  if (state.items !== null) q.set('items', state.items ? '1' : '0')
  if (state.zoom) q.set('zoom', writeSpan(state.zoom))
  if (state.mark) q.set('mark', writeSpan(state.mark))
  if (state.lane) q.set('lane', state.lane)
  if (state.rows) q.set('rows', '1')
  if (state.difference) q.set('diff', '1')
  if (state.find) q.set('find', state.find)
  return q.toString()
}

/** Bounds with one side set or cleared; a metric without sides disappears. */
export function withBound(bounds: Bounds, metric: MetricKey, bound: Bound): Bounds {
  const others = Object.entries(bounds).filter(([key]) => key !== metric)
  const mine = bound.min === null && bound.max === null ? [] : [[metric, bound] as const]
  return Object.fromEntries([...others, ...mine])
}
