/** Many plans on a canvas, worst first: single dots, and lines as few paths, so that 2,000 plans take milliseconds. */
import type { DotRaster } from './dot-raster'
import type { Look } from './look'

export interface Mark {
  readonly x: number
  readonly y: number
}

const TURN = 2 * Math.PI
/** Width of the edge around discs of different sizes, in pixels. */
const EDGE = 0.6
/** Lines of neighbouring ranks share one path and one colour; there are at most so many. */
const STEPS = 24

function disc(g: CanvasRenderingContext2D, { x, y }: Mark, radius: number): void {
  g.beginPath()
  g.arc(x, y, radius, 0, TURN)
}

export interface DotStyle {
  readonly radius: number
  readonly outRadius: number
  readonly outColour: string
  /** Around discs of different sizes; null for none. */
  readonly edge: string | null
}

/** Calls `put` with the dots of plans at `positions` (null: not in view), those that stand out last. */
function eachDot(positions: readonly (Mark | null)[], look: Look, style: DotStyle, put: (at: Mark, radius: number, colour: string, edge: string | null) => void): void {
  for (const i of look.out) {
    const at = positions[i]
    if (at) put(at, style.outRadius, style.outColour, null)
  }
  for (let rank = look.order.length - 1; rank >= 0; rank -= 1) {
    const i = look.order[rank] ?? -1
    const at = positions[i]
    if (at) put(at, style.radius * (look.sizes[i] ?? 1), look.colours[i] ?? '', style.edge)
  }
}

/** Dots of many plans, several panels in one image; returns whether that is the way to draw them. */
export function rasterDots(g: CanvasRenderingContext2D, raster: DotRaster, ratio: number, panels: readonly (readonly (Mark | null)[])[], look: Look, style: DotStyle): boolean {
  if (!raster.begin(g, ratio, look.order.length + look.out.length)) return false
  for (const positions of panels) eachDot(positions, look, style, ({ x, y }, radius, colour, edge) => raster.disc(x, y, radius, colour, edge, EDGE))
  raster.end(g)
  return true
}

/** The same as paths. */
export function paintDots(g: CanvasRenderingContext2D, positions: readonly (Mark | null)[], look: Look, style: DotStyle): void {
  if (style.edge) {
    g.strokeStyle = style.edge
    g.lineWidth = EDGE
  }
  eachDot(positions, look, style, (at, radius, colour, edge) => {
    disc(g, at, radius)
    g.fillStyle = colour
    g.fill()
    if (edge) g.stroke()
  })
}

/** Plans of an earlier front as rings. */
export function paintRings(g: CanvasRenderingContext2D, positions: readonly (Mark | null)[], colour: string): void {
  g.strokeStyle = colour
  g.lineWidth = 1
  for (const at of positions) {
    if (!at) continue
    disc(g, at, 2.5)
    g.stroke()
  }
}

/** Lines over axes at `xs`: `ys` holds one row of heights a line, NaN where it has no value. */
export interface Lines {
  readonly xs: Float64Array
  readonly ys: Float64Array
  readonly count: number
}

function trace(g: Pick<CanvasRenderingContext2D, 'moveTo' | 'lineTo'>, { xs, ys }: Lines, row: number): void {
  let begun = false
  for (let k = 0, at = row * xs.length; k < xs.length; k += 1, at += 1) {
    const y = ys[at] ?? Number.NaN
    if (Number.isNaN(y)) continue
    if (begun) g.lineTo(xs[k] ?? 0, y)
    else g.moveTo(xs[k] ?? 0, y)
    begun = true
  }
}

/** The rows `from` to `to` of `rows` as one stroke. */
export function paintLines(g: CanvasRenderingContext2D, lines: Lines, rows: readonly number[], from = 0, to = rows.length): void {
  g.beginPath()
  for (let i = from; i < to; i += 1) trace(g, lines, rows[i] ?? 0)
  g.stroke()
}

/** Lines of plans in the colours of their ranks, best last. */
export function paintRanked(g: CanvasRenderingContext2D, lines: Lines, { order, colours }: Look): void {
  const size = Math.max(1, Math.ceil(order.length / STEPS))
  for (let from = size * (Math.ceil(order.length / size) - 1); from >= 0; from -= size) {
    const to = Math.min(order.length, from + size)
    g.strokeStyle = colours[order[(from + to) >> 1] ?? 0] ?? ''
    paintLines(g, lines, order, from, to)
  }
}

/** One line as SVG path data. */
export function linePath(lines: Lines, row: number): string {
  const parts: string[] = []
  const put = (letter: string) => (x: number, y: number) => void parts.push(`${letter}${x.toFixed(1)} ${y.toFixed(1)}`)
  trace({ moveTo: put('M'), lineTo: put('L') }, lines, row)
  return parts.join('')
}

export function polyline(points: readonly Mark[]): string {
  return points.map((p, i) => `${i ? 'L' : 'M'}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('')
}

/** The row whose line is nearest to `y` at `x` and within `reach`; -1 for none. Of two as near, one that `prefer` holds. */
export function lineAt({ xs, ys, count }: Lines, x: number, y: number, reach: number, prefer: readonly boolean[]): number {
  const n = xs.length
  if (n < 2) return -1
  let left = 0
  while (left < n - 2 && x >= (xs[left + 1] ?? Infinity)) left += 1
  const [x0, x1] = [xs[left] ?? 0, xs[left + 1] ?? 1]
  const share = (x - x0) / (x1 - x0 || 1)
  let best = -1
  let least = reach
  for (let row = 0, at = left; row < count; row += 1, at += n) {
    const a = ys[at] ?? Number.NaN
    const away = Math.abs(a + ((ys[at + 1] ?? Number.NaN) - a) * share - y)
    if (away < least || (away === least && prefer[row])) {
      least = away
      best = row
    }
  }
  return best
}
