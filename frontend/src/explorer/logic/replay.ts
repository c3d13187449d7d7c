/** A generation of a search as a front of objectives alone, to be drawn under the front that it became. */
import type { Front, Plan } from '../types'

export interface Step {
  readonly generation: number
  readonly hypervolume: number | null
  /** A row a plan, a column an objective. */
  readonly values: readonly (readonly number[])[]
}

/** The last step that is not after `generation`, else the first. */
export function stepAt(steps: readonly Step[], generation: number): Step | undefined {
  return steps.findLast((step) => step.generation <= generation) ?? steps[0]
}

export function frontOfStep(front: Front, step: Step): Front {
  const plans = step.values.map((row, at): Plan => {
    const values = Object.fromEntries(front.objectives.map(({ key }, column) => [key, row[column] ?? Number.NaN]))
    const multiples = Object.fromEntries(
      front.objectives.map(({ key, reference, direction }, column) => {
        const value = row[column] ?? Number.NaN
        return [key, direction === 'max' ? reference / value : value / reference]
      }),
    )
    const basic = (key: string) => values[key] ?? Number.NaN
    return {
      number: at + 1,
      hash: `${step.generation} ${at}`,
      values,
      multiples,
      violations: {},
      exec_time_ms: basic('exec_time_ms'),
      energy_j: basic('energy_j'),
      load_balance: basic('load_balance'),
      exec_time_x: Number.NaN,
      energy_x: Number.NaN,
      load_balance_x: Number.NaN,
      peak_memory_bytes: Number.NaN,
      transferred_bytes: Number.NaN,
      n_transfers: 0,
      overflow_bytes: 0,
      feasible: true,
      from_solver: false,
      devices: [],
    }
  })
  return { ...front, generation: step.generation, measures: [], plans }
}
