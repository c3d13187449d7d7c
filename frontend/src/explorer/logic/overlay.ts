/** How a new front stands against an earlier one: how many plans of each a plan of the other beats. */
import type { Table } from './measures'

export interface Standing {
  /** Earlier plans that a new one beats. */
  readonly beaten: number
  /** New plans that an earlier one beats. */
  readonly worse: number
  /** Earlier plans that a new one equals. */
  readonly kept: number
}

const TOLERANCE = 1e-9

/** Whether plan `i` of `a` is nowhere worse than plan `j` of `b`, and somewhere better (or nowhere, for `equal`). */
function compare(a: Table, i: number, b: Table, j: number): 'beats' | 'equal' | 'no' {
  let better = false
  for (let k = 0; k < a.multiples.length; k += 1) {
    const x = a.multiples[k]?.[i] ?? Number.NaN
    const y = b.multiples[k]?.[j] ?? Number.NaN
    const near = TOLERANCE * Math.max(1, Math.abs(y))
    if (!(x <= y + near)) return 'no'
    if (x < y - near) better = true
  }
  return better ? 'beats' : 'equal'
}

/** Null where the two fronts have different objectives, so that nothing can be said. */
export function standing(now: Table, before: Table): Standing | null {
  const keys = (table: Table) => table.objectives.map((m) => m.key).join()
  if (keys(now) !== keys(before)) return null
  const rows = (table: Table) => Array.from({ length: table.count }, (_, i) => i)
  let [beaten, kept] = [0, 0]
  for (const j of rows(before)) {
    const answers = new Set(rows(now).map((i) => compare(now, i, before, j)))
    if (answers.has('beats')) beaten += 1
    else if (answers.has('equal')) kept += 1
  }
  const worse = rows(now).filter((i) => rows(before).some((j) => compare(before, j, now, i) === 'beats')).length
  return { beaten, worse, kept }
}
