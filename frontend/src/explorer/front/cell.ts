/** Geometry of one projection: two linear axes over a rectangle. */
import type { Range } from '../logic/ticks'

export interface Cell {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly x: Range
  readonly y: Range
}

export function cellX(cell: Cell, value: number): number {
  return cell.left + ((value - cell.x.lo) / (cell.x.hi - cell.x.lo || 1)) * cell.width
}

export function cellY(cell: Cell, value: number): number {
  return cell.top + cell.height - ((value - cell.y.lo) / (cell.y.hi - cell.y.lo || 1)) * cell.height
}

/** Value under a pixel, clamped to the axis. */
export function valueAtX(cell: Cell, x: number): number {
  const share = Math.min(1, Math.max(0, (x - cell.left) / (cell.width || 1)))
  return cell.x.lo + share * (cell.x.hi - cell.x.lo)
}

export function valueAtY(cell: Cell, y: number): number {
  const share = Math.min(1, Math.max(0, (cell.top + cell.height - y) / (cell.height || 1)))
  return cell.y.lo + share * (cell.y.hi - cell.y.lo)
}
