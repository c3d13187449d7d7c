/** Where the lanes of the timeline stand, and what lies under a pixel. Pure geometry, in CSS pixels. */
import { fullestMemory } from '../logic/devices'
import type { DeviceRef, PlanDetail, PlanMemory, PlanOperator, PlanTransfer } from '../types'
import { inView, spansOf } from './spans'

export interface Lane {
  readonly top: number
  readonly height: number
}
export interface DeviceLane extends Lane {
  readonly device: number
  /** In the order of their start. */
  readonly operators: readonly PlanOperator[]
  /** When the device, though the plan uses it, does nothing; in ms. */
  readonly idle: readonly Window[]
}
export interface LinkLane extends Lane {
  readonly source: number
  readonly target: number
  readonly transfers: readonly PlanTransfer[]
}
export interface MemoryLane extends Lane {
  readonly memory: PlanMemory
}
export interface TimelineLayout {
  readonly left: number
  readonly width: number
  /** Height that all lanes need; it may exceed the pane. */
  readonly height: number
  readonly devices: readonly DeviceLane[]
  readonly links: readonly LinkLane[]
  readonly memory: MemoryLane | null
}
export interface Window {
  readonly from: number
  readonly to: number
}

export const HEAD = 24
const LINK = 14
const GAP = 8

/** Stretches of 0..`end` that none of `operators` (by start; they may overlap) covers. */
export function idleOf(operators: readonly PlanOperator[], end: number): Window[] {
  const idle: Window[] = []
  if (!operators.length) return idle
  let busy = 0
  for (const { start_ms, end_ms } of operators) {
    if (start_ms > busy) idle.push({ from: busy, to: start_ms })
    busy = Math.max(busy, end_ms)
  }
  if (end > busy) idle.push({ from: busy, to: end })
  return idle
}

const lanes = new WeakMap<PlanDetail, ReadonlyMap<number, readonly PlanOperator[]>>()

/** The operators of each device by their start; sorted once a plan. */
export function operatorsOf(detail: PlanDetail): ReadonlyMap<number, readonly PlanOperator[]> {
  const known = lanes.get(detail)
  if (known) return known
  const made = new Map<number, PlanOperator[]>()
  for (const op of detail.operators) {
    const list = made.get(op.device)
    if (list) list.push(op)
    else made.set(op.device, [op])
  }
  for (const list of made.values()) list.sort((a, b) => a.start_ms - b.start_ms)
  lanes.set(detail, made)
  return made
}

export function timelineLayout(detail: PlanDetail, devices: readonly DeviceRef[], width: number, height: number): TimelineLayout {
  const left = width < 700 ? 112 : 150
  const pairs = new Map<string, PlanTransfer[]>()
  for (const transfer of detail.transfers) {
    const key = `${transfer.source} ${transfer.target}`
    const list = pairs.get(key)
    if (list) list.push(transfer)
    else pairs.set(key, [transfer])
  }
  const links = [...pairs.values()].sort(
    ([a], [b]) => (a?.source ?? 0) - (b?.source ?? 0) || (a?.target ?? 0) - (b?.target ?? 0),
  )
  const fixed = HEAD + links.length * LINK + 2 * GAP + 48
  const room = devices.length ? Math.floor((height - fixed) / devices.length) : 0
  // On a tall screen lanes grow once the memory line has its room.
  const roomy = devices.length ? Math.floor((height - fixed - 72) / devices.length) : 0
  const lane = Math.max(Math.min(32, Math.max(26, room)), Math.min(48, roomy))
  let top = HEAD
  const onDevice = operatorsOf(detail)
  const deviceLanes = devices.map((_, device): DeviceLane => {
    const operators = onDevice.get(device) ?? []
    const made = { device, operators, idle: idleOf(operators, detail.exec_time_ms), top, height: lane }
    top += lane
    return made
  })
  top += GAP
  const linkLanes = links.flatMap((transfers): LinkLane[] => {
    const [first] = transfers
    if (!first) return []
    const made = { source: first.source, target: first.target, transfers, top, height: LINK }
    top += LINK
    return [made]
  })
  if (linkLanes.length) top += GAP
  const memory = fullestMemory(detail)
  const tall = Math.min(200, Math.max(44, height - top - GAP))
  const memoryLane = memory && memory.points.length > 0 ? { memory, top, height: tall } : null
  if (memoryLane) top += tall + GAP
  return { left, width: Math.max(40, width - left - 16), height: top, devices: deviceLanes, links: linkLanes, memory: memoryLane }
}

export function timeX(layout: TimelineLayout, window: Window, ms: number): number {
  return layout.left + ((ms - window.from) / (window.to - window.from || 1)) * layout.width
}

export function xTime(layout: TimelineLayout, window: Window, x: number): number {
  return window.from + ((x - layout.left) / layout.width) * (window.to - window.from)
}

/** Zoom by `factor` (below 1 is closer) around time `at`, inside 0..end and never closer than end / 2,000. */
export function zoomed(window: Window, at: number, factor: number, end: number): Window {
  const span = Math.min(end, Math.max(end / 2000, (window.to - window.from) * factor))
  const share = (at - window.from) / (window.to - window.from || 1)
  return shifted({ from: at - share * span, to: at - share * span + span }, 0, end)
}

/** A mark with half its length on both sides, inside 0..end. */
export function around({ from, to }: Window, end: number): Window {
  const margin = (to - from) / 2
  return { from: Math.max(0, from - margin), to: Math.min(end, to + margin) }
}

/** Move by `ms`, kept inside 0..end. */
export function shifted(window: Window, ms: number, end: number): Window {
  const span = window.to - window.from
  const from = Math.min(Math.max(0, window.from + ms), Math.max(0, end - span))
  return { from, to: from + span }
}

/** The operator under a pixel, with 3 pixels of grace for very short ones. */
export function operatorAt(layout: TimelineLayout, window: Window, x: number, y: number): PlanOperator | null {
  const lane = layout.devices.find((l) => y >= l.top && y < l.top + l.height)
  if (!lane || x < layout.left) return null
  let best: PlanOperator | null = null
  let least = 3
  const grace = (4 / layout.width) * (window.to - window.from)
  const at = xTime(layout, window, x)
  const near = inView(spansOf(lane.operators), at - grace, at + grace)
  for (const op of lane.operators.slice(near.from, near.to)) {
    const a = timeX(layout, window, op.start_ms)
    const b = timeX(layout, window, op.end_ms)
    const away = x < a ? a - x : x > b ? x - b : 0
    if (away < least || (away === 0 && best === null)) {
      best = op
      least = away
    }
  }
  return best
}

/** Next operator along the lane, or the nearest in time of the next lane that has any. */
export function neighbour(
  layout: TimelineLayout,
  operator: PlanOperator | undefined,
  move: 'left' | 'right' | 'up' | 'down',
): PlanOperator | null {
  const lanes = layout.devices.filter((lane) => lane.operators.length > 0)
  const at = operator ? lanes.findIndex((lane) => lane.device === operator.device) : -1
  const lane = lanes[at]
  if (!operator || !lane) return lanes[0]?.operators[0] ?? null
  if (move === 'left' || move === 'right') {
    const place = lane.operators.findIndex((op) => op.index === operator.index)
    return lane.operators[place + (move === 'right' ? 1 : -1)] ?? operator
  }
  const other = lanes[at + (move === 'down' ? 1 : -1)]
  if (!other) return operator
  return other.operators.reduce((near, op) =>
    Math.abs(op.start_ms - operator.start_ms) < Math.abs(near.start_ms - operator.start_ms) ? op : near,
  )
}
