/** The course of a memory as a line of steps, no more of them than there are pixels. */

/** `[ms, bytes held from then on]`, by time. */
export type MemoryPoints = readonly (readonly number[])[]

/** The last place whose time is at most `ms`; 0 where there is none. */
function lastBefore(points: MemoryPoints, ms: number): number {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.[0] ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

/**
 * Calls `to` with the corners of the line from `begin` to `end`: of all changes within one pixel the least and the
 * largest are kept, so that a peak is never lost.
 */
export function memoryLine(
  points: MemoryPoints,
  { from: begin, to: end }: { readonly from: number; readonly to: number },
  x: (ms: number) => number,
  to: (x: number, bytes: number) => void,
): void {
  const first = lastBefore(points, begin)
  let held = points[first]?.[1] ?? 0
  to(x(begin), held)
  let column = Number.NaN
  let [at, before, low, high] = [0, 0, 0, 0]
  const flush = () => {
    if (Number.isNaN(column)) return
    if (high > Math.max(before, held)) to(at, high)
    if (low < Math.min(before, held)) to(at, low)
    to(at, held)
  }
  for (let i = first + 1; i < points.length; i += 1) {
    const [ms = 0, bytes = 0] = points[i] ?? []
    if (ms > end) break
    const px = x(ms)
    if (Math.floor(px) !== column) {
      flush()
      column = Math.floor(px)
      at = px
      to(px, held)
      before = low = high = held
    }
    low = Math.min(low, bytes)
    high = Math.max(high, bytes)
    held = bytes
  }
  flush()
  to(x(end), held)
}
