/** Score colours: five tokens mixed by rank, best at the end that stands out most from the background. */
import { mix } from '../../drawing/colours'

/** Colour at `t` in 0 (worst) to 1 (best) along `stops`. */
export function rampAt(stops: readonly string[], t: number): string {
  const last = stops.length - 1
  if (last < 0) return '#000000'
  const x = Math.min(1, Math.max(0, Number.isFinite(t) ? t : 0)) * last
  const i = Math.min(last - 1, Math.floor(x))
  return last === 0 ? (stops[0] ?? '#000000') : mix(stops[i] ?? '#000000', stops[i + 1] ?? '#000000', x - i)
}

/** Steps of a ramp, mixed once: neighbouring steps cannot be told apart. */
const STEPS = 256
const tables = new Map<string, readonly string[]>()

/** As `rampAt`, to the nearest of 256 steps. */
export function rampStep(stops: readonly string[], t: number): string {
  const key = stops.join()
  let table = tables.get(key)
  if (!table) {
    table = Array.from({ length: STEPS + 1 }, (_, i) => rampAt(stops, i / STEPS))
    tables.set(key, table)
  }
  return table[Math.round(Math.min(1, Math.max(0, Number.isFinite(t) ? t : 0)) * STEPS)] ?? '#000000'
}

/** One colour per plan: by rank among the ranked ones, `out` for the others. */
export function rankColours(count: number, ranked: readonly number[], stops: readonly string[], out: string): string[] {
  const colours = new Array<string>(count).fill(out)
  const steps = Math.max(1, ranked.length - 1)
  ranked.forEach((plan, i) => (colours[plan] = rampStep(stops, 1 - i / steps)))
  return colours
}
