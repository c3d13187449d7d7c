/** Score colours: five tokens mixed by rank, best at the end that stands out most from the background. */

export type Rgb = readonly [number, number, number]

export function parseHex(text: string): Rgb {
  const body = text.trim().replace('#', '')
  const full = body.length === 3 ? body.replace(/./g, '$&$&') : body
  const at = (i: number) => Number.parseInt(full.slice(i, i + 2), 16) || 0
  return [at(0), at(2), at(4)]
}

export function mix(a: string, b: string, share: number): string {
  const x = parseHex(a)
  const y = parseHex(b)
  const part = (i: 0 | 1 | 2) =>
    Math.round(x[i] + (y[i] - x[i]) * share)
      .toString(16)
      .padStart(2, '0')
  return `#${part(0)}${part(1)}${part(2)}`
}

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
