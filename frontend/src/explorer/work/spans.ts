/** The bars of one lane as columns, so that the part in view is found by halving and many short bars become one. */
import type { PlanOperator } from '../types'

export interface Spans {
  /** Ascending. */
  readonly start: Float64Array
  readonly end: Float64Array
  /** The latest end of all bars up to each: they may overlap, and it never falls. */
  readonly reach: Float64Array
}

const made = new WeakMap<readonly PlanOperator[], Spans>()

/** Of operators by their start; worked out once a list. */
export function spansOf(operators: readonly PlanOperator[]): Spans {
  const known = made.get(operators)
  if (known) return known
  const start = Float64Array.from(operators, (op) => op.start_ms)
  const end = Float64Array.from(operators, (op) => op.end_ms)
  let latest = -Infinity
  const spans = { start, end, reach: end.map((value) => (latest = Math.max(latest, value))) }
  made.set(operators, spans)
  return spans
}

/** The first place whose value is at least `value`; the length where none is. */
function firstAtLeast(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Places `from` to `to` (without) that hold every bar that touches the time `start` to `end`. */
export function inView({ start, reach }: Spans, begin: number, end: number): { from: number; to: number } {
  const from = firstAtLeast(reach, begin)
  let to = firstAtLeast(start, end)
  while (to < start.length && start[to] === end) to += 1
  return { from, to: Math.max(from, to) }
}

/** A bar, or several that are too short to be seen apart. */
export interface Bar {
  /** In pixels. */
  readonly left: number
  readonly right: number
  /** The place of its operator; -1 for several. */
  readonly at: number
  /** Whether what most of its time goes to is marked; of one bar: whether it is. */
  readonly marked: boolean
  /** Whether any of it is `special`. */
  readonly special: boolean
}

/**
 * Calls `draw` with the bars of `from` to `to`, left to right. Neighbours of less than a pixel each become one bar of
 * at most a pixel, unless more than half a pixel lies between them. Bars without length are left out.
 */
export function mergedBars(
  { start, end }: Spans,
  { from, to }: { readonly from: number; readonly to: number },
  x: (ms: number) => number,
  marked: (at: number) => boolean,
  special: (at: number) => boolean,
  draw: (bar: Bar) => void,
): void {
  let left = Number.NaN
  let right = 0
  let first = -1
  let count = 0
  let balance = 0
  let isSpecial = false
  const flush = () => {
    if (count) draw({ left, right, at: count === 1 ? first : -1, marked: balance > 0, special: isSpecial })
    count = 0
  }
  for (let i = from; i < to; i += 1) {
    const [s, e] = [start[i] ?? 0, end[i] ?? 0]
    if (s === e) continue
    const [a, b] = [x(s), x(e)]
    if (b - a >= 1) {
      flush()
      draw({ left: a, right: b, at: i, marked: marked(i), special: special(i) })
      continue
    }
    if (count && (a - right > 0.5 || b - left > 1)) flush()
    if (!count) {
      left = a
      right = b
      first = i
      balance = 0
      isSpecial = false
    }
    count += 1
    right = Math.max(right, b)
    balance += marked(i) ? e - s : s - e
    isSpecial ||= special(i)
  }
  flush()
}
