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
  const operators = base.operators.map((op) => ({
    ...(rows.get(op.index) ?? op),
    start_ms: start_ms[op.index] ?? op.start_ms,
    end_ms: end_ms[op.index] ?? op.end_ms,
    reason: null,
    alternatives: null,
  }))
  const device = new Map(operators.map((op) => [op.index, op.device]))
  return {
    ...base,
    ...tried,
    number: base.number,
    revision: base.revision,
    operators,
    edges: base.edges.map((edge) => ({ ...edge, cut: device.get(edge.source) !== device.get(edge.target) })),
  }
}
