// Which cell of a square matrix a key leads to; the diagonal is stepped over.
export interface Cell {
  row: number
  column: number
}

const STEPS: Readonly<Record<string, Cell>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
}

/** The next cell, or null for a key that does not move, or at the border. */
export function nextCell({ row, column }: Cell, key: string, size: number): Cell | null {
  if (key === 'Home' || key === 'End') {
    const wanted = key === 'Home' ? 0 : size - 1
    const free = wanted === row ? wanted + (key === 'Home' ? 1 : -1) : wanted
    return free === column ? null : { row, column: free }
  }
  const step = STEPS[key]
  if (!step) return null
  let next = { row: row + step.row, column: column + step.column }
  if (next.row === next.column) next = { row: next.row + step.row, column: next.column + step.column }
  const inside = next.row >= 0 && next.column >= 0 && next.row < size && next.column < size
  return inside ? next : null
}

/** Percent of the deep colour in the deepest tint: ink stays readable on it in both themes. */
const DEEPEST = 36

/** The tint of a bandwidth, logarithmic between the least and the greatest of the pool. */
export function tint(bandwidth: number, low: number, high: number): number {
  if (!(high > low)) return DEEPEST / 2
  return Math.round(((Math.log(bandwidth) - Math.log(low)) / (Math.log(high) - Math.log(low))) * DEEPEST)
}
