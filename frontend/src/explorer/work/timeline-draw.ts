/** Draws the timeline on a canvas: device lanes, links, memory, critical path, the selected operator. */
import type { Tokens } from '../../theme/tokens'
import { memoryDevice, memoryTags, tagAt } from '../logic/devices'
import { mix } from '../../drawing/colours'
import { fitText, textWidth } from '../../graph/text'
import { fixed } from '../logic/scales'
import { tickDecimals, ticks } from '../logic/ticks'
import type { DeviceRef, PlanDetail } from '../types'
import { criticalOf, operatorOf } from '../logic/lookup'
import { memoryLine } from './memory-line'
import { inView, mergedBars, spansOf } from './spans'
import { type ItemOperator, patternOf } from './in-flight'
import { type DeviceLane, HEAD, type TimelineLayout, timeX, type Window, xTime } from './timeline-layout'

export interface TimelineTexts {
  readonly links: string
  readonly memory: string
  readonly unused: string
  readonly host: string
  readonly share: (share: number) => string
  readonly idle: (ms: number) => string
  readonly bytes: (value: number) => string
  readonly limit: (limit: string, far: boolean) => string
}

export interface TimelineInput {
  readonly detail: PlanDetail
  readonly devices: readonly DeviceRef[]
  readonly layout: TimelineLayout
  readonly window: Window
  /** Display unit of the time axis. */
  readonly factor: number
  readonly unit: string
  readonly locale: string
  readonly tokens: Tokens
  readonly texts: TimelineTexts
  readonly selected: number | null
  readonly hovered: number | null
  /** The selected operator in all items in flight. */
  readonly also: readonly number[]
  /** A stretch of time that is marked. */
  readonly mark: Window | null
  /** The device whose lane is marked. */
  readonly lane: number | null
  readonly height: number
}

const HEAVY = new Set(['conv', 'depthwise_conv', 'matmul', 'attention', 'recurrent'])

/** Last parts of a scoped name, short enough for a bar. */
export function shortName(name: string): string {
  const parts = name.split('/').filter(Boolean)
  return parts.slice(-2).join('/') || name
}

export function isHeavy(opClass: string): boolean {
  return HEAVY.has(opClass)
}

export function drawTimeline(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const { layout, tokens, height } = input
  const c = tokens.value
  g.textBaseline = 'middle'
  g.textAlign = 'left'
  g.fillStyle = c('bg')
  g.fillRect(0, 0, layout.left + layout.width + 16, height)
  g.save()
  g.beginPath()
  g.rect(layout.left, 0, layout.width + 16, height)
  g.clip()
  drawAxis(g, input)
  drawMark(g, input)
  drawDevices(g, input)
  drawLinks(g, input)
  drawMemory(g, input)
  drawCursor(g, input)
  g.restore()
  drawHeads(g, input)
}

export function font(g: CanvasRenderingContext2D, { tokens, locale }: TimelineInput, px: number, weight = 400): void {
  const size = px < 12 && locale.startsWith('zh') ? 12 : px
  g.font = `${weight} ${size}px ${tokens.fontUi}`
}

export function tagBox(g: CanvasRenderingContext2D, { tokens }: TimelineInput, x: number, y: number, device: DeviceRef): void {
  const colour = tokens.device(device.slot)
  g.fillStyle = colour.fill
  g.beginPath()
  g.roundRect(x, y - 8, 22, 16, 2)
  g.fill()
  g.fillStyle = colour.ink
  g.font = `600 11px ${tokens.fontTag}`
  g.textAlign = 'center'
  g.fillText(device.tag, x + 11, y + 0.5)
  g.textAlign = 'left'
}

export function drawAxis(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const { layout, window, factor, unit, locale, tokens, height } = input
  const list = ticks(window.from * factor, window.to * factor, layout.width > 500 ? 10 : 5)
  const digits = tickDecimals(list)
  font(g, input, 11)
  list.forEach((value, i) => {
    const x = timeX(layout, window, value / factor)
    g.fillStyle = tokens.value('line-soft')
    g.fillRect(Math.round(x), HEAD - 4, 1, height)
    g.fillStyle = tokens.value('ink-3')
    const first = i === 0
    g.textAlign = x - layout.left < 12 ? 'left' : 'center'
    g.fillText(`${fixed(value, digits, locale)}${first ? ` ${unit}` : ''}`, Math.max(x, layout.left + 2), 11)
  })
  g.textAlign = 'left'
}

export function drawDevices(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const { layout, window, devices, detail, tokens, texts } = input
  const c = tokens.value
  const critical = criticalOf(detail)
  for (const lane of layout.devices) {
    const { top, height } = lane
    const bar = height - 9
    g.fillStyle = c('line-soft')
    g.fillRect(layout.left, top + height - 1, layout.width + 16, 1)
    if (!lane.operators.length) {
      font(g, input, 12)
      g.fillStyle = c('ink-3')
      g.fillText(texts.unused, layout.left + 8, top + height / 2)
      continue
    }
    drawIdle(g, input, lane)
    const colour = tokens.device(devices[lane.device]?.slot ?? 1)
    const soft = mix(colour.fill, c('bg'), 0.5)
    const spans = spansOf(lane.operators)
    const seen = inView(spans, window.from, xTime(layout, window, layout.left + layout.width + 16))
    const opAt = (at: number) => lane.operators[at]
    mergedBars(
      spans,
      seen,
      (ms) => timeX(layout, window, ms),
      (at) => isHeavy(opAt(at)?.op_class ?? ''),
      (at) => critical.has(opAt(at)?.index ?? -1),
      ({ left, right, at, marked, special }) => {
        const wide = Math.max(1, right - left - (at < 0 ? 0 : 0.6))
        g.fillStyle = marked ? colour.fill : soft
        g.fillRect(left, top + 4, wide, bar)
        const item = itemOf(opAt(at))
        if (item) drawPattern(g, c('bg'), patternOf(item, left, top + 4, wide, bar))
        if (special) {
          g.fillStyle = c('ink')
          g.fillRect(left, top + 4 + bar, Math.max(1, right - left), 2)
        }
        const op = wide > (item ? 14 : 44) ? opAt(at) : undefined
        if (!op) return
        g.save()
        g.beginPath()
        g.rect(left, top, wide - 3, height)
        g.clip()
        font(g, input, 11)
        g.fillStyle = marked ? colour.ink : c('ink')
        const x = Math.max(left, layout.left) + (item ? 2 : 4)
        const lead = !item ? '' : wide > 60 ? `${item} · ` : String(item)
        // The end of a name tells more than its beginning.
        const room = left + wide - 4 - x - (lead ? textWidth(g, lead) : 0)
        const text = item && wide <= 60 ? lead : lead + fitText(g, shortName(op.name), room, 'start')
        if (item) {
          // The number stands on the plain colour, whatever the pattern is.
          g.fillStyle = marked ? colour.fill : soft
          g.fillRect(x - 1, top + 5, Math.min(wide - 1, textWidth(g, text) + 4), bar - 2)
          g.fillStyle = marked ? colour.ink : c('ink')
        }
        g.fillText(text, x + (item ? 1 : 0), top + 4 + bar / 2 + 0.5)
        g.restore()
      },
    )
  }
  for (const which of [...input.also, input.hovered, input.selected]) {
    const op = which === null ? undefined : operatorOf(detail, which)
    const lane = op && layout.devices[op.device]
    if (!op || !lane) continue
    const a = timeX(layout, window, op.start_ms)
    const b = timeX(layout, window, op.end_ms)
    const [x, y, w, h] = [a - 1, lane.top + 3, Math.max(3, b - a) + 1.4, lane.height - 7] as const
    if (which === input.selected) {
      g.strokeStyle = c('bg')
      g.lineWidth = 4
      g.strokeRect(x, y, w, h)
    }
    g.strokeStyle = c('ink')
    g.lineWidth = which === input.selected ? 2 : 1
    g.strokeRect(x, y, w, h)
  }
}

function itemOf(op: ItemOperator | undefined): number {
  return op?.item ?? 0
}

function drawPattern(g: CanvasRenderingContext2D, colour: string, parts: readonly (readonly [number, number, number, number])[]): void {
  g.fillStyle = colour
  g.globalAlpha = 0.5
  for (const part of parts) g.fillRect(...part)
  g.globalAlpha = 1
}

/** A line through the time in which a device does nothing, with how long it is where there is room. */
function drawIdle(g: CanvasRenderingContext2D, input: TimelineInput, { idle, top, height }: DeviceLane): void {
  const { layout, window, tokens, texts } = input
  const middle = Math.round(top + 4 + (height - 9) / 2)
  const right = layout.left + layout.width
  font(g, input, 11)
  for (const { from, to } of idle) {
    const a = Math.max(layout.left, timeX(layout, window, from)) + 2
    const b = Math.min(right, timeX(layout, window, to)) - 2
    if (b - a < 4) continue
    g.fillStyle = tokens.value('line')
    const text = b - a > 72 ? texts.idle(to - from) : ''
    const room = text ? g.measureText(text).width + 12 : 0
    if (!text || b - a < room + 16) {
      g.fillRect(a, middle, b - a, 1)
    } else {
      const half = (b - a - room) / 2
      g.fillRect(a, middle, half, 1)
      g.fillRect(b - half, middle, half, 1)
      g.fillStyle = tokens.value('ink-3')
      g.fillText(text, a + half + 6, middle + 0.5)
    }
    g.fillStyle = tokens.value('line')
    g.fillRect(a, middle - 3, 1, 7)
    g.fillRect(b - 1, middle - 3, 1, 7)
  }
}

/** The marked stretch of time and the marked lane, under the bars. */
function drawMark(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const { layout, window, tokens, mark, lane, height } = input
  const marked = layout.devices.find((one) => one.device === lane)
  if (marked) {
    g.fillStyle = tokens.value('bg-select')
    g.fillRect(layout.left, marked.top, layout.width + 16, marked.height - 1)
  }
  if (!mark) return
  const [a, b] = [timeX(layout, window, mark.from), timeX(layout, window, mark.to)]
  g.fillStyle = tokens.value('focus')
  g.globalAlpha = 0.16
  g.fillRect(a, HEAD - 4, b - a, height)
  g.globalAlpha = 1
  for (const x of [a, b]) g.fillRect(Math.round(x), HEAD - 4, 1, height)
}

function drawLinks(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const { layout, window, tokens } = input
  for (const lane of layout.links) {
    g.fillStyle = tokens.value('line-soft')
    g.fillRect(layout.left, lane.top + lane.height - 1, layout.width + 16, 1)
    g.fillStyle = tokens.value('ink-3')
    let drawn = -Infinity
    for (const { start_ms, end_ms } of lane.transfers) {
      const a = timeX(layout, window, start_ms)
      const b = Math.max(a + 1.5, timeX(layout, window, end_ms))
      // What lies outside, or in what is drawn already, needs no bar of its own.
      if (b < layout.left || a > layout.left + layout.width + 16 || b <= drawn) continue
      g.fillRect(a, lane.top + 3, b - a, 7)
      if (a <= drawn + 0.5) drawn = b
    }
  }
}

function drawMemory(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const { layout, window, devices, detail, tokens, texts } = input
  if (!layout.memory) return
  const { memory, top, height } = layout.memory
  const c = tokens.value
  const limit = memory.limit_bytes
  const far = limit !== null && limit > 2 * memory.peak_bytes
  const most = Math.max(1, limit !== null && !far ? Math.max(limit, memory.peak_bytes) : memory.peak_bytes)
  const y = (value: number) => top + height - (value / most) * (height - 6)
  const corners: [number, number][] = []
  const seen = { from: Math.max(0, window.from), to: Math.min(detail.exec_time_ms, xTime(layout, window, layout.left + layout.width + 16)) }
  memoryLine(memory.points, seen, (ms) => timeX(layout, window, ms), (px, bytes) => corners.push([px, y(bytes)]))
  const [left, right] = [corners[0]?.[0] ?? 0, corners.at(-1)?.[0] ?? 0]
  const line = (): void => corners.forEach(([px, py], i) => (i ? g.lineTo(px, py) : g.moveTo(px, py)))
  const device = devices[memoryDevice(devices, memory)]
  const colour = device ? tokens.device(device.slot).fill : c('ink-3')
  g.beginPath()
  line()
  g.lineTo(right, top + height)
  g.lineTo(left, top + height)
  g.closePath()
  g.fillStyle = mix(colour, c('bg'), 0.82)
  g.fill()
  g.beginPath()
  line()
  g.strokeStyle = colour
  g.lineWidth = 1.25
  g.stroke()
  if (limit === null) return
  font(g, input, 11)
  g.textAlign = 'right'
  g.fillStyle = c('ink-2')
  if (!far) {
    g.fillRect(layout.left, Math.round(y(limit)), layout.width + 16, 1)
  }
  const text = texts.limit(texts.bytes(limit), far)
  g.fillText(text, layout.left + layout.width - 6, far ? top + height - 9 : y(limit) + 9)
  g.textAlign = 'left'
}

function drawCursor(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const op = input.selected === null ? undefined : operatorOf(input.detail, input.selected)
  if (!op) return
  g.fillStyle = input.tokens.value('ink-3')
  g.globalAlpha = 0.5
  g.fillRect(Math.round(timeX(input.layout, input.window, op.start_ms)), HEAD - 4, 1, input.height)
  g.globalAlpha = 1
}

function drawHeads(g: CanvasRenderingContext2D, input: TimelineInput): void {
  const { layout, devices, detail, tokens, texts, height } = input
  const c = tokens.value
  const wide = layout.left > 130
  g.fillStyle = c('bg-rail')
  g.fillRect(0, 0, layout.left, height)
  const right = (text: string, y: number): void => {
    g.fillStyle = c('ink-3')
    g.textAlign = 'right'
    g.fillText(text, layout.left - 10, y)
    g.textAlign = 'left'
  }
  for (const lane of layout.devices) {
    const device = devices[lane.device]
    if (!device) continue
    const y = lane.top + lane.height / 2
    if (lane.device === input.lane) {
      g.fillStyle = c('bg-select')
      g.fillRect(0, lane.top, layout.left, lane.height - 1)
      g.fillStyle = c('ink')
      g.fillRect(0, lane.top, 3, lane.height - 1)
    }
    tagBox(g, input, 12, y, device)
    font(g, input, 12)
    const used = lane.operators.length > 0
    g.fillStyle = used ? c('ink') : c('ink-3')
    g.save()
    g.beginPath()
    g.rect(40, lane.top, layout.left - 40 - (wide ? 46 : 40), lane.height)
    g.clip()
    g.fillText(device.name, 42, y + 0.5)
    g.restore()
    right(used ? texts.share(detail.devices[lane.device]?.share ?? 0) : '–', y + 0.5)
  }
  const [first] = layout.links
  font(g, input, 11)
  if (first && wide) {
    g.fillStyle = c('ink-3')
    g.fillText(texts.links, 12, first.top + 6.5)
  }
  for (const lane of layout.links) {
    g.fillStyle = c('ink-2')
    const name = `${tagAt(devices, lane.source, texts.host)} → ${tagAt(devices, lane.target, texts.host)}`
    g.fillText(name, wide ? 50 : 12, lane.top + 6.5)
    right(String(lane.transfers.length), lane.top + 6.5)
  }
  if (layout.memory) {
    const { memory, top } = layout.memory
    const device = devices[memoryDevice(devices, memory)]
    if (device) tagBox(g, input, 12, top + 10, device)
    font(g, input, 12)
    g.fillStyle = c('ink')
    const shared = memoryTags(devices, memory, texts.host)
    g.fillText(device ? texts.memory : `${shared} ${texts.memory}`, device ? 42 : 12, top + 10.5)
    font(g, input, 11)
    if (wide) right(texts.bytes(memory.peak_bytes), top + 26)
  }
  g.fillStyle = c('line')
  g.fillRect(layout.left - 1, 0, 1, height)
}
