/** The three axes of the 3-D scene: what stands on them, and how they are drawn for a camera. */
import { fixed, type Scale } from '../logic/scales'
import { type Range, tickDecimals, ticks } from '../logic/ticks'
import { type Camera, type Pixel, type Point3, toReader } from './project'

export interface AxisInput {
  readonly title: string
  readonly range: Range
  readonly scale: Scale
}

interface Tick {
  readonly value: number
  readonly text: string
}

export interface Axis {
  readonly caption: string
  readonly range: Range
  readonly ticks: readonly Tick[]
}
/** x, y and height. */
export type Axes = readonly [Axis, Axis, Axis]

export interface AxesLook {
  readonly grid: string
  readonly line: string
  readonly tick: string
  readonly caption: string
  readonly font: string
  readonly tickSize: number
}

/** Ticks and captions; `constant` is the word for an axis with one value. */
export function axesOf(inputs: readonly [AxisInput, AxisInput, AxisInput], constant: string, lang: string): Axes {
  const axis = ({ title, range, scale }: AxisInput, place: number): Axis => {
    const list = range.constant ? [range.at] : ticks(range.lo, range.hi, place === 1 ? 4 : 5)
    const decimals = range.constant ? scale.decimals : tickDecimals(list)
    return {
      caption: range.constant ? `${title} · ${constant}` : title,
      range,
      ticks: list.map((value) => ({ value, text: fixed(value, decimals, lang) })),
    }
  }
  return [axis(inputs[0], 0), axis(inputs[1], 1), axis(inputs[2], 2)]
}

type Place = 0 | 1 | 2
const PLACES = [0, 1, 2] as const
/** Where an axis's labels stand: its edge of the box, given by the ends of the other two axes. */
interface Edge {
  readonly from: Point3
  readonly to: Point3
}

/** The point with another coordinate along the axis `k`. */
function moved([x, y, z]: Point3, k: Place, value: number): Point3 {
  return [k === 0 ? value : x, k === 1 ? value : y, k === 2 ? value : z]
}

/** The end of each axis that is away from the reader, and the one that is near. */
function endsOf(axes: Axes, camera: Camera): { back: Point3; front: Point3 } {
  const reader = toReader(camera)
  const end = (k: Place, away: boolean) => ((reader[k] >= 0) === away ? axes[k].range.lo : axes[k].range.hi)
  return {
    back: [end(0, true), end(1, true), end(2, true)],
    front: [end(0, false), end(1, false), end(2, false)],
  }
}

/** The edges at the outline of the box that carry the labels: floor edges towards the reader, and the left upright one. */
export function labelEdges(axes: Axes, camera: Camera, project: (p: Point3) => Pixel): readonly [Edge, Edge, Edge] {
  const { back, front } = endsOf(axes, camera)
  const along = (k: Place, ends: Point3): Edge => ({
    from: moved(ends, k, axes[k].range.lo),
    to: moved(ends, k, axes[k].range.hi),
  })
  const upright = [along(2, [front[0], back[1], 0]), along(2, [back[0], front[1], 0])] as const
  const left = project(upright[0].from).x <= project(upright[1].from).x ? upright[0] : upright[1]
  return [along(0, [0, front[1], back[2]]), along(1, [front[0], 0, back[2]]), left]
}

interface Spot {
  readonly x: number
  readonly y: number
}
/** left, top, right, bottom */
type Box = readonly [number, number, number, number]
const TICK = 4
const TICK_TO_TEXT = 9
const TEXT_TO_CAPTION = 12
const EDGE = 4
/** Least space between two texts. */
const APART = 4
const CAPTION_SIZE = 12
const UP = { x: 0, y: -1 }
/** Edges that look shorter than this, in pixels, carry no labels. */
const SHORTEST = 24
/** Walls turned further away than this are not drawn. */
const ASKANCE = 0.02

function line(g: CanvasRenderingContext2D, a: Pixel, b: Pixel): void {
  g.moveTo(a.x, a.y)
  g.lineTo(b.x, b.y)
}

function paintWalls(g: CanvasRenderingContext2D, axes: Axes, camera: Camera, project: (p: Point3) => Pixel, look: AxesLook): void {
  const reader = toReader(camera)
  const { back } = endsOf(axes, camera)
  g.lineWidth = 1
  g.strokeStyle = look.grid
  g.beginPath()
  for (const wall of PLACES) {
    if (Math.abs(reader[wall]) < ASKANCE) continue
    const [i, j] = PLACES.filter((k) => k !== wall) as [Place, Place]
    for (const [across, along] of [[i, j], [j, i]] as const) {
      const { lo, hi } = axes[along].range
      for (const value of [axes[across].range.lo, ...axes[across].ticks.map((tick) => tick.value), axes[across].range.hi])
        line(g, project(moved(moved(back, across, value), along, lo)), project(moved(moved(back, across, value), along, hi)))
    }
  }
  g.stroke()
}

/** The direction, on the canvas, away from the box across an edge; null where the edge is seen end-on. */
function outwards(from: Pixel, to: Pixel, middle: Pixel): Spot | null {
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const length = Math.hypot(dx, dy)
  if (length < SHORTEST) return null
  const [ax, ay] = [(from.x + to.x) / 2 - middle.x, (from.y + to.y) / 2 - middle.y]
  const side = Math.sign(ax * -dy + ay * dx) || 1
  return { x: (-dy / length) * side, y: (dx / length) * side }
}

/** Where `text` stands beside a point, towards `out`: texts at a side begin or end there, those above and below are centred. */
function boxAt(g: CanvasRenderingContext2D, text: string, at: Spot, out: Spot, size: number, width: number): Box {
  const space = g.measureText(text).width
  const free = at.x + ((Math.abs(out.x) < 0.35 ? 0 : Math.sign(out.x)) - 1) * (space / 2)
  const left = Math.max(EDGE, Math.min(free, width - EDGE - space))
  const y = at.y + out.y * (size / 2)
  return [left, y - size / 2, left + space, y + size / 2]
}

function write(g: CanvasRenderingContext2D, text: string, [left, top, , bottom]: Box): void {
  g.fillText(text, left, (top + bottom) / 2)
}

/** Whether two texts would touch. */
function touch(a: Box, b: Box): boolean {
  return a[0] < b[2] + APART && a[2] + APART > b[0] && a[1] < b[3] && a[3] > b[1]
}

/** Draw grid, axes, ticks and captions; captions stand upright whatever the view. `width` in CSS pixels. */
export function paintAxes(g: CanvasRenderingContext2D, axes: Axes, camera: Camera, project: (p: Point3) => Pixel, look: AxesLook, width: number): void {
  paintWalls(g, axes, camera, project, look)
  const edges = labelEdges(axes, camera, project)
  const middle = project([centre(axes[0]), centre(axes[1]), centre(axes[2])])
  const tickFont = `${look.tickSize}px ${look.font}`
  g.textAlign = 'left'
  g.textBaseline = 'middle'
  const taken: Box[] = []
  const seen = PLACES.flatMap((k) => {
    const [a, b] = [project(edges[k].from), project(edges[k].to)]
    const out = outwards(a, b, middle)
    if (!out) return []
    const ticks = axes[k].ticks.map(({ value, text }) => ({ text, at: project(moved(edges[k].from, k, value)) }))
    return [{ k, a, b, out, ticks }]
  })
  // Captions first: a tick that has no room beside them is left out.
  g.fillStyle = look.caption
  for (const { k, a, b, out, ticks } of seen) {
    g.font = tickFont
    const widest = Math.max(0, ...ticks.map(({ text }) => g.measureText(text).width))
    g.font = `${CAPTION_SIZE}px ${look.font}`
    const { caption } = axes[k]
    const away = TICK_TO_TEXT + widest * Math.abs(out.x) + look.tickSize * Math.abs(out.y) + TEXT_TO_CAPTION
    const top = a.y < b.y ? a : b
    const box =
      k === 2
        ? boxAt(g, caption, { x: top.x, y: top.y - TEXT_TO_CAPTION }, UP, CAPTION_SIZE, width)
        : boxAt(g, caption, { x: (a.x + b.x) / 2 + out.x * away, y: (a.y + b.y) / 2 + out.y * away }, out, CAPTION_SIZE, width)
    write(g, caption, box)
    taken.push(box)
  }
  g.strokeStyle = look.line
  g.fillStyle = look.tick
  g.font = tickFont
  for (const { a, b, out, ticks } of seen) {
    g.beginPath()
    line(g, a, b)
    for (const { at } of ticks) line(g, at, { ...at, x: at.x + out.x * TICK, y: at.y + out.y * TICK })
    g.stroke()
    for (const { text, at } of ticks) {
      const box = boxAt(g, text, { x: at.x + out.x * TICK_TO_TEXT, y: at.y + out.y * TICK_TO_TEXT }, out, look.tickSize, width)
      if (taken.some((other) => touch(box, other))) continue
      write(g, text, box)
      taken.push(box)
    }
  }
}

function centre({ range: { lo, hi } }: Axis): number {
  return (lo + hi) / 2
}
