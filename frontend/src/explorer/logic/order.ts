/** Order by several keys, where values that differ by rounding only count as equal. */

/** Two values closer than this, relative to the larger of 1 and the better one, are tied. */
export const TIE_TOLERANCE = 1e-9

/** Ascending by the first key, ties by the next, at last by position. The first element is the exact choice. */
export function byKeys(candidates: readonly number[], keys: readonly ((index: number) => number)[]): number[] {
  const [key, ...rest] = keys
  if (!key || candidates.length < 2) return [...candidates].sort((a, b) => a - b)
  const sorted = [...candidates].sort((a, b) => key(a) - key(b) || a - b)
  const ordered: number[] = []
  let from = 0
  while (from < sorted.length) {
    const best = key(sorted[from] ?? 0)
    const limit = best + TIE_TOLERANCE * Math.max(1, Math.abs(best))
    let to = from + 1
    while (to < sorted.length && key(sorted[to] ?? 0) <= limit) to += 1
    if (to - from === 1) ordered.push(sorted[from] ?? 0)
    else ordered.push(...byKeys(sorted.slice(from, to), rest))
    from = to
  }
  return ordered
}

/** What `byKeys` would put first, without ordering the rest; -1 when there is no candidate. */
export function firstBy(candidates: readonly number[], keys: readonly ((index: number) => number)[]): number {
  let tied = candidates
  for (const key of keys) {
    if (tied.length < 2) break
    const best = tied.reduce((least, i) => Math.min(least, key(i)), Infinity)
    const limit = best + TIE_TOLERANCE * Math.max(1, Math.abs(best))
    tied = tied.filter((i) => key(i) <= limit)
  }
  return tied.reduce((least, i) => (least < 0 || i < least ? i : least), -1)
}
