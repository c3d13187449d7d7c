/** Where two plans place the operators of one model: what moved between which devices. */
import type { DeviceRef, PlanDetail } from '../types'

export interface Move {
  /** In A. */
  readonly index: number
  readonly name: string
  /** Positions among the devices of A and of B. */
  readonly a: number
  readonly b: number
}

type Placed = Pick<PlanDetail, 'operators'>

/** Device in B of every operator by name; operators that are joined in one plan and not in the other meet by their parts. */
function placeOf(b: Placed): (op: PlanDetail['operators'][number]) => number | undefined {
  const where = new Map<string, number>()
  for (const op of b.operators) for (const member of op.members) where.set(member, op.device)
  for (const op of b.operators) where.set(op.name, op.device)
  return (op) => where.get(op.name) ?? (op.members[0] === undefined ? undefined : where.get(op.members[0]))
}

/** Operators that sit on another device (by name) in A than in B, in the order of A. */
export function movesBetween(a: Placed, b: Placed, devicesA: readonly DeviceRef[], devicesB = devicesA): Move[] {
  const place = placeOf(b)
  return a.operators.flatMap((op) => {
    const other = place(op)
    return other === undefined || devicesB[other]?.name === devicesA[op.device]?.name
      ? []
      : [{ index: op.index, name: op.name, a: op.device, b: other }]
  })
}

/** Operators by device of B (row) and device of A (column). */
export function moveMatrix(a: Placed, b: Placed, nA: number, nB = nA): number[][] {
  const matrix = Array.from({ length: nB }, () => new Array<number>(nA).fill(0))
  const place = placeOf(b)
  for (const op of a.operators) {
    const row = matrix[place(op) ?? -1]
    if (row) row[op.device] = (row[op.device] ?? 0) + 1
  }
  return matrix
}

/** Device in B of every operator of A by its index, as a position in `devices`; -1 where B has no such operator. */
export function beforeOf(a: Placed, b: Placed, devices: readonly DeviceRef[], devicesB: readonly DeviceRef[]): Int32Array {
  const place = placeOf(b)
  const at = devicesB.map((device) => devices.findIndex(({ name }) => name === device.name))
  const before = new Int32Array(a.operators.length).fill(-1)
  for (const op of a.operators) before[op.index] = at[place(op) ?? -1] ?? -1
  return before
}

/** The devices of A, then those that only B has: unlike devices keep unlike colours as far as there are. */
export function bothPools(devicesA: readonly DeviceRef[], devicesB: readonly DeviceRef[]): DeviceRef[] {
  const known = new Set(devicesA.map(({ name }) => name))
  const most = devicesA.reduce((top, { slot }) => Math.max(top, slot), 0)
  const others = devicesB.filter(({ name }) => !known.has(name))
  return [...devicesA, ...others.map((device, i) => ({ ...device, slot: most + i + 1 }))]
}
