/** Units of the work pane: the clock has the plan's unit, operators one unit each for time and energy. */
import { type Scale, scaleFor, type Scales } from '../logic/scales'
import type { PlanDetail } from '../types'

export interface OperatorScales {
  /** Start and end, in the unit of the plan's time with a little more detail. */
  readonly clock: Scale
  readonly time: Scale
  readonly energy: Scale
}

function typical(values: readonly number[]): number {
  const sorted = values.filter((v) => v > 0).sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}

const made = new WeakMap<PlanDetail, { readonly of: Scales; readonly scales: OperatorScales }>()

/** Worked out once a plan: it takes the medians of all operators. */
export function operatorScales(detail: PlanDetail, scales: Scales): OperatorScales {
  const known = made.get(detail)
  if (known?.of === scales) return known.scales
  const fresh = freshScales(detail, scales)
  made.set(detail, { of: scales, scales: fresh })
  return fresh
}

function freshScales(detail: PlanDetail, scales: Scales): OperatorScales {
  const time = typical(detail.operators.map((op) => op.time_ms))
  const energy = typical(detail.operators.map((op) => op.energy_j))
  const inUnit = (scale: Scale, value: number): Scale => {
    const shown = value * scale.factor
    const decimals = shown > 0 ? Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(shown)))) : scale.decimals
    return { ...scale, decimals: Math.max(scale.decimals, decimals) }
  }
  const clock = inUnit(scales.exec_time_ms, time)
  // Operators share the plan's unit unless that would need more than three decimals.
  const own = scaleFor('exec_time_ms', time)
  return {
    clock: { ...clock, decimals: Math.min(clock.decimals, 3) },
    time: clock.decimals <= 3 ? clock : own,
    energy: ((shared) => (shared.decimals <= 3 ? shared : scaleFor('energy_j', energy)))(inUnit(scales.energy_j, energy)),
  }
}
