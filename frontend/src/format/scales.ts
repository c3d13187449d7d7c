// Units chosen once per search from the size of its default plan, and round ticks for an axis.

export interface ShownUnit {
  label: string
  /** Shown figure = stored figure x factor. */
  factor: number
}

const TIME: readonly ShownUnit[] = [
  { label: 's', factor: 1e-3 },
  { label: 'ms', factor: 1 },
  { label: 'µs', factor: 1e3 },
]
const ENERGY: readonly ShownUnit[] = [
  { label: 'kJ', factor: 1e-3 },
  { label: 'J', factor: 1 },
  { label: 'mJ', factor: 1e3 },
  { label: 'µJ', factor: 1e6 },
]

function pick(units: readonly ShownUnit[], value: number): ShownUnit {
  const fit = units.find((unit) => value * unit.factor >= 1) ?? units.at(-1)
  return fit ?? { label: '', factor: 1 }
}

/** The unit for times of the size of `ms`; whole milliseconds only from 10 ms on, as µs reads better below. */
export function timeUnit(ms: number): ShownUnit {
  return pick(TIME, ms / 10)
}

export function energyUnit(joules: number): ShownUnit {
  return pick(ENERGY, joules)
}

/** Round values inside [low, high], at most `most` of them; one value when the range is a point. */
export function ticks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => (high - low) / size <= most) ?? rough
  const first = Math.ceil(low / step)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}
