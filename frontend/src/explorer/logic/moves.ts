/** Operators moved by hand in a plan, and the plan that comes of it: the base with what the server decoded anew. */
import type { PlanDetail, WhatIf } from '../types'
import type { Pins } from './pins'

/** Operator index to device index, as in the address. */
export type Moves = Pins

/** Add moves to those that there are; back to where the plan has it is no move. Null: none is left. */
export function withMoves(base: Pick<PlanDetail, 'operators'>, moves: Moves | null, operators: Iterable<number>, device: number): Moves | null {
  const next: Record<number, number> = { ...moves }
  for (const index of operators) {
    const home = base.operators.find((op) => op.index === index)?.device
    if (home === undefined || home === device) Reflect.deleteProperty(next, index)
    else next[index] = device
  }
  return Object.keys(next).length ? next : null
}

export function movesList(moves: Moves): { operator: number; device: number }[] {
  return Object.entries(moves).map(([operator, device]) => ({ operator: Number(operator), device }))
}

/** The plan after its moves. Reasons and alternatives are those of the base no more; they are asked for one by one. */
export function movedDetail(base: PlanDetail, tried: WhatIf): PlanDetail {
  const { moved, start_ms, end_ms } = tried
  const rows = new Map(moved.map((op) => [op.index, op]))
  // What stays as it is stays the same object: a plan of 5,000 operators is not made anew for one of them.
  const operators = base.operators.map((op) => {
    const now = rows.get(op.index) ?? op
    const [start, end] = [start_ms[op.index] ?? op.start_ms, end_ms[op.index] ?? op.end_ms]
    const isSame = now === op && start === op.start_ms && end === op.end_ms && op.reason === null && op.alternatives === null
    return isSame ? op : { ...now, start_ms: start, end_ms: end, reason: null, alternatives: null }
  })
  const device = new Map(operators.map((op) => [op.index, op.device]))
  const isCut = ({ source, target }: PlanDetail['edges'][number]) => device.get(source) !== device.get(target)
  return {
    ...base,
    ...tried,
    number: base.number,
    revision: base.revision,
    operators,
    edges: base.edges.map((edge) => (edge.cut === isCut(edge) ? edge : { ...edge, cut: isCut(edge) })),
  }
}
