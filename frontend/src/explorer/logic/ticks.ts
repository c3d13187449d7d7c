/** Round axis ticks and padded ranges; constant axes get a range of their own instead of noise. */

export interface Range {
  readonly lo: number
  readonly hi: number
  /** True when all values are equal to within 1e-9 of their size. */
  readonly constant: boolean
  /** The one value of a constant range, the middle of any other. */
  readonly at: number
}

/** Smallest range that holds every finite value, padded by `pad` of its width on both sides. */
export function rangeOf(values: readonly number[], pad = 0, floor: number | null = null): Range {
  let lo = Infinity
  let hi = -Infinity
  for (const v of values) {
    if (!Number.isFinite(v)) continue
    if (v < lo) lo = v
    if (v > hi) hi = v
  }
  if (lo > hi) return { lo: 0, hi: 1, constant: true, at: 0 }
  const size = Math.max(Math.abs(lo), Math.abs(hi))
  if (hi - lo <= 1e-9 * size || size === 0) {
    const half = size > 0 ? size * 0.1 : 0.5
    const base = lo - half
    return { lo: floor !== null ? Math.max(floor, base) : base, hi: hi + half, constant: true, at: lo }
  }
  const d = (hi - lo) * pad
  const base = lo - d
  return { lo: floor !== null ? Math.max(floor, base) : base, hi: hi + d, constant: false, at: (lo + hi) / 2 }
}

/** Multiples of 1, 2 or 5 x 10^k inside [lo, hi], about `count` of them. */
export function ticks(lo: number, hi: number, count: number): number[] {
  if (!(hi > lo) || count < 1) return [lo]
  const raw = (hi - lo) / count
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.8) ?? 10 * power
  const first = Math.ceil(lo / step - 1e-9)
  const last = Math.floor(hi / step + 1e-9)
  const found: number[] = []
  for (let k = first; k <= last; k += 1) found.push(k === 0 ? 0 : Number((k * step).toPrecision(12)))
  return found
}

/** Decimals that a tick step needs, so that neighbouring ticks read differently; those of the value for a lone tick. */
export function tickDecimals(list: readonly number[]): number {
  const [a, b] = list
  if (a === undefined) return 0
  if (b === undefined || a === b) return Math.min(9, a.toFixed(9).replace(/\.?0+$/, '').split('.')[1]?.length ?? 0)
  return Math.max(0, Math.min(9, -Math.floor(Math.log10(Math.abs(b - a)) + 1e-9)))
}

/** Counts of `values` in `bins` equal bins over [lo, hi]; the last bin includes hi. */
export function histogram(values: readonly number[], range: Range, bins: number, keep?: (index: number) => boolean): number[] {
  const counts = new Array<number>(bins).fill(0)
  const width = range.hi - range.lo || 1
  values.forEach((v, i) => {
    if (keep && !keep(i)) return
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(((v - range.lo) / width) * bins)))
    counts[bin] = (counts[bin] ?? 0) + 1
  })
  return counts
}
