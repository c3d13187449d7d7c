// Draws the edges: curves between levels, straight along their lanes, wider for more bytes.
import type { GraphLayout } from './layout'
import type { GraphView } from './view'

export interface Visible {
  readonly from: number
  readonly to: number
  readonly top: number
  readonly bottom: number
}

/** Width of an edge in pixels, by the decade of its bytes. */
export function edgeWidth(bytes: number): number {
  return bytes >= 1e8 ? 4 : bytes >= 1e7 ? 3 : bytes >= 1e6 ? 2.2 : bytes >= 1e5 ? 1.5 : 1
}

/**
 * Adds an edge to the current path, in the units of the drawing; what lies outside `seen` is left out. Edges share the
 * lanes of their source: unless `whole`, only the one that runs through all of them draws them.
 */
export function traceEdge(
  g: CanvasRenderingContext2D,
  view: GraphView,
  layout: GraphLayout,
  edge: number,
  seen: Visible,
  curved: boolean,
  whole: boolean,
): void {
  const from = view.source[edge] ?? 0
  const to = view.target[edge] ?? 0
  const { sizes, lanes, laneY, level } = layout
  const a = level[from] ?? 0
  const b = level[to] ?? 0
  if (b < seen.from || a > seen.to) return
  const first = lanes.first[from] ?? -1
  const isLed = b - a > 1 && first >= 0
  const step = sizes.width + sizes.gapX
  // Begin at the first level in view: an edge may run through a thousand lanes.
  const begin = isLed ? Math.max(a, whole || lanes.carrier[from] === edge ? seen.from - 1 : b - 1) : a
  let x = begin * step + sizes.width
  let y = (begin === a ? layout.y[from] : laneY[first + begin - a - 1]) ?? 0
  const reach = (toX: number, toY: number): void => {
    if (Math.max(y, toY) >= seen.top && Math.min(y, toY) <= seen.bottom) {
      g.moveTo(x, y)
      const bend = Math.min((toX - x) / 2, 60)
      if (curved && y !== toY) g.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY)
      else g.lineTo(toX, toY)
    }
    x = toX
    y = toY
  }
  if (isLed) {
    const last = Math.min(b - 1, seen.to + 1)
    for (let at = begin + 1; at <= last; at += 1) {
      const laneAt = laneY[first + at - a - 1] ?? 0
      // One straight line along lanes of one height.
      if (laneAt === y && at < last) {
        let end = at
        while (end < last && laneY[first + end - a] === y) end += 1
        reach(end * step + sizes.width, y)
        at = end
        continue
      }
      reach(at * step, laneAt)
      reach(at * step + sizes.width, laneAt)
    }
    if (last < b - 1) return
  }
  reach((layout.x[to] ?? 0) - sizes.width / 2, layout.y[to] ?? 0)
}
