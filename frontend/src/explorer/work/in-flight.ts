/** Several items in flight as one plan to be drawn: every item's operators, each with an index of its own. */
import type { ItemsInFlight, PlanDetail, PlanMemory, PlanOperator, Search } from '../types'

/** An operator of one item, which counts from 1; of a plan that runs once there is none. */
export interface ItemOperator extends PlanOperator {
  readonly item?: number
}

export interface Flight {
  readonly detail: PlanDetail
  /** How many operators an item has. */
  readonly operators: number
  readonly items: number
  /** How many are in flight by the search's settings. */
  readonly asked: number
}

/** Whether a search is about several items in flight: the same rule as that of the trace. */
export function isPipelined({ settings }: Pick<Search, 'settings'>, needs: (key: string) => string | undefined): boolean {
  if (settings.items_in_flight || settings.micro_batches || (settings.arrival_rate_per_s ?? null) !== null) return true
  const keys = [...settings.objectives, ...settings.constraints.map(({ objective }) => objective)]
  return keys.some((key) => key === 'throughput_per_s' || (needs(key) ?? 'decode') !== 'decode')
}

/** Index of an operator of an item (from 0) among all. */
export function flightIndex(flight: Pick<Flight, 'operators'>, item: number, operator: number): number {
  return item * flight.operators + operator
}

/** What the index means: the item (from 0) and the plan's operator. */
export function fromFlight(flight: Pick<Flight, 'operators'>, index: number): { item: number; operator: number } {
  return { item: Math.floor(index / flight.operators), operator: index % flight.operators }
}

/** Operators of all items with their times, what they hold together, and the chain that the last one's end hangs on. */
export function flightOf(detail: PlanDetail, items: ItemsInFlight): Flight {
  const count = detail.operators.length
  const operators = items.start_ms.flatMap((starts, item) =>
    detail.operators.map((op): ItemOperator => {
      const [start, end] = [starts[op.index] ?? 0, items.end_ms[item]?.[op.index] ?? 0]
      return { ...op, index: item * count + op.index, order: item * count + op.order, start_ms: start, end_ms: end, item: item + 1 }
    }),
  )
  const end = items.finish_ms.reduce((latest, time) => Math.max(latest, time), 0)
  return {
    detail: {
      ...detail,
      operators,
      transfers: items.transfers,
      exec_time_ms: end,
      memory: items.memory as PlanMemory[],
      critical_path: items.critical_path.map(([item = 0, operator = 0]) => item * count + operator),
      edges: [],
    },
    operators: count,
    items: items.items,
    asked: items.asked,
  }
}

/** Items are told apart by a pattern that comes again after this many, and by their numbers. */
export const PATTERNS = 4

/** Light rectangles [x, y, width, height] over the bar of an item: none, lines along it, lines across it, or its upper half. */
export function patternOf(item: number, left: number, top: number, width: number, height: number): [number, number, number, number][] {
  const which = (item - 1) % PATTERNS
  if (which === 0 || width < 3) return []
  if (which === 1) return [1, 3].map((part) => [left, top + (height * part) / 5, width, height / 5])
  if (which === 3) return [[left, top, width, height / 2]]
  const step = Math.max(6, width / 100)
  return Array.from({ length: Math.max(1, Math.floor(width / step)) }, (_, i) => [left + (i + 0.5) * step - 1, top, Math.min(2, width / 3), height])
}
