/** Where the lanes of two plans stand on one time axis, and how they are drawn. */
import type { DeviceRef, PlanDetail, PlanOperator } from '../types'
import { drawAxis, drawDevices, font, tagBox, type TimelineInput } from '../work/timeline-draw'
import { HEAD, idleOf, neighbour, operatorsOf, type TimelineLayout, timeX } from '../work/timeline-layout'

const LEFT = 68
const BETWEEN = 22

/** The lanes of both plans, A above B. */
export function twoLayouts(
  plans: readonly { readonly detail: PlanDetail; readonly devices: readonly DeviceRef[] }[],
  width: number,
  height: number,
): TimelineLayout[] {
  const lanes = plans.reduce((sum, { devices }) => sum + devices.length, 0)
  const tall = Math.min(48, Math.max(18, Math.floor((height - HEAD - plans.length * BETWEEN) / Math.max(1, lanes))))
  let top = HEAD
  return plans.map(({ detail, devices }) => {
    const made = devices.map((_, device) => {
      const operators = operatorsOf(detail).get(device) ?? []
      return { device, operators, idle: idleOf(operators, detail.exec_time_ms), top: top + device * tall, height: tall }
    })
    top += devices.length * tall + BETWEEN
    return { left: LEFT, width: Math.max(40, width - LEFT - 16), height: top, devices: made, links: [], memory: null }
  })
}

/**
 * Where an arrow leads from `from` in the lanes of plan `side`: along its lane, to the next lane of its plan, and beyond the
 * last or the first one to the other plan's. Without `from`, to the first operator of `side`.
 */
export function walk(
  layouts: readonly TimelineLayout[],
  side: number,
  from: PlanOperator | undefined,
  move: 'left' | 'right' | 'up' | 'down',
): { readonly operator: PlanOperator; readonly side: number } | null {
  const layout = layouts[side]
  if (!layout) return null
  const next = neighbour(layout, from, move)
  const beyond = side + (move === 'down' ? 1 : -1)
  const other = layouts[beyond]
  if (from && next === from && other && (move === 'up' || move === 'down')) {
    const lanes = other.devices.filter(({ operators }) => operators.length > 0)
    const operator = near((move === 'down' ? lanes[0] : lanes.at(-1))?.operators ?? [], from.start_ms)
    if (operator) return { operator, side: beyond }
  }
  return next && { operator: next, side }
}

/** The operator that starts nearest to a time. */
function near(operators: readonly PlanOperator[], ms: number): PlanOperator | null {
  return operators.reduce<PlanOperator | null>(
    (best, op) => (!best || Math.abs(op.start_ms - ms) < Math.abs(best.start_ms - ms) ? op : best),
    null,
  )
}

/** `texts` and the rest of the input are those of both; `end` labels where a plan ends. */
export function drawTwo(g: CanvasRenderingContext2D, inputs: readonly TimelineInput[], end: (ms: number) => string): void {
  const [first] = inputs
  if (!first) return
  const { tokens, layout, height } = first
  const c = tokens.value
  g.textBaseline = 'middle'
  g.textAlign = 'left'
  g.fillStyle = c('bg')
  g.fillRect(0, 0, layout.left + layout.width + 16, height)
  drawAxis(g, first)
  inputs.forEach((input, at) => {
    const { layout: mine, window, detail, devices } = input
    g.save()
    g.beginPath()
    g.rect(mine.left, 0, mine.width + 16, height)
    g.clip()
    drawDevices(g, input)
    g.restore()
    const [top, last] = [mine.devices[0], mine.devices.at(-1)]
    if (!top || !last) return
    const bottom = last.top + last.height
    for (const lane of mine.devices) {
      const device = devices[lane.device]
      if (device) tagBox(g, input, 36, lane.top + lane.height / 2, device)
    }
    const middle = (top.top + bottom) / 2
    g.beginPath()
    g.arc(18, middle, 9, 0, 2 * Math.PI)
    g.strokeStyle = c('ink')
    g.lineWidth = 1.5
    g.fillStyle = at === 0 ? c('ink') : c('bg')
    g.fill()
    g.stroke()
    font(g, input, 11, 600)
    g.textAlign = 'center'
    g.fillStyle = at === 0 ? c('ink-invert') : c('ink')
    g.fillText(at === 0 ? 'A' : 'B', 18, middle + 0.5)
    const x = timeX(mine, window, detail.exec_time_ms)
    g.fillStyle = c('ink')
    g.fillRect(x - 1, top.top, 2, bottom - top.top)
    g.textAlign = 'right'
    g.fillText(end(detail.exec_time_ms), x - 2, bottom + 9)
    g.textAlign = 'left'
  })
}
