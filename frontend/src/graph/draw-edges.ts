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

/** Adds an edge to the current path, in the units of the drawing; what lies outside `seen` is left out. */
export function traceEdge(
  g: CanvasRenderingContext2D,
  view: GraphView,
  layout: GraphLayout,
  edge: number,
  seen: Visible,
  curved: boolean,
): void {
  const from = view.source[edge] ?? 0
  const to = view.target[edge] ?? 0
  const a = layout.level[from] ?? 0
  const b = layout.level[to] ?? 0
  if (b < seen.from - 1 || a > seen.to + 1) return
  const { sizes, lanes, laneY } = layout
  const half = sizes.width / 2
  const step = sizes.width + sizes.gapX
  const first = lanes.first[from] ?? -1
  let x = (layout.x[from] ?? 0) + half
  let y = layout.y[from] ?? 0
  const reach = (toX: number, toY: number): void => {
    const outside = Math.max(y, toY) < seen.top || Math.min(y, toY) > seen.bottom
    if (!outside) {
      g.moveTo(x, y)
      const bend = Math.min((toX - x) / 2, 60)
      if (curved && y !== toY) g.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY)
      else g.lineTo(toX, toY)
    }
    x = toX
    y = toY
  }
  if (b - a > 1 && first >= 0) {
    for (let at = a + 1; at < b; at += 1) {
      const laneAt = laneY[first + at - a - 1] ?? 0
      const left = at * step
      if (at < seen.from - 1 || at > seen.to + 1) {
        x = left + sizes.width
        y = laneAt
        continue
      }
      reach(left, laneAt)
      reach(left + sizes.width, laneAt)
    }
  }
  reach((layout.x[to] ?? 0) - half, layout.y[to] ?? 0)
}
