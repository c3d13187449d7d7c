/** Geometry of one projection: two linear axes over a rectangle. */
import { type Range, ticks } from '../logic/ticks'

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

const ticksOf = (range: Range, count: number): number[] => (range.constant ? [range.at] : ticks(range.lo, range.hi, count))

export function ticksX({ x, width }: Cell): number[] {
  return ticksOf(x, width > 200 ? 5 : 3)
}

export function ticksY({ y, height }: Cell): number[] {
  return ticksOf(y, height > 150 ? 5 : 3)
}

/** Lines across the cell at its ticks; what is drawn afterwards lies over them. */
export function paintRules(g: CanvasRenderingContext2D, cell: Cell, colour: string): void {
  g.fillStyle = colour
  for (const value of ticksX(cell)) g.fillRect(cellX(cell, value) - 0.5, cell.top, 1, cell.height)
  for (const value of ticksY(cell)) g.fillRect(cell.left, cellY(cell, value) - 0.5, cell.width, 1)
}
