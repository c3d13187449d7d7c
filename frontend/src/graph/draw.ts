// Draws what is in view of a graph on a canvas: bands, edges, nodes, what is selected, found and pointed at.
import { mix } from '../drawing/colours'
import type { Tokens } from '../theme/tokens'
import type { Band } from './bands'
import type { Camera } from './camera'
import { shortName, type GraphData } from './data'
import { edgeWidth, traceEdge, type Visible } from './draw-edges'
import type { GraphLayout } from './layout'
import type { GraphPlacement, PlacedNodes } from './placement'
import type { ScopeTree } from './scopes'
import { fitText, textWidth } from './text'
import type { GraphView } from './view'

export interface GraphScene {
  readonly graph: GraphData
  readonly tree: ScopeTree
  readonly view: GraphView
  readonly layout: GraphLayout
  readonly bands: readonly Band[]
  /** The largest FLOPs of a node. */
  readonly mostFlops: number
  /** What the layout took. */
  readonly layoutMs: number
  readonly placement: {
    readonly of: GraphPlacement
    readonly nodes: PlacedNodes
    /** Operators by device of every scope that is a band. */
    readonly shares: ReadonlyMap<number, Int32Array>
  } | null
  /** Whether a node holds something that was searched for; null without a search. */
  readonly found: Uint8Array | null
}

export interface GraphLook {
  readonly camera: Camera
  readonly width: number
  readonly height: number
  readonly tokens: Tokens
  readonly isChinese: boolean
  readonly selected: number
  readonly hovered: number
  readonly operators: (count: number) => string
}

/** Where the name of a band stands, in pixels: a click there folds it. */
export interface BandLabel {
  readonly scope: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const HEAVY = new Set(['conv', 'depthwise_conv', 'matmul', 'attention', 'recurrent'])
/** From these heights in pixels on a node is a box, shows one line, and two. */
const SMALLEST = 9
const ONE_LINE = 17
const TWO_LINES = 31
const LABEL = 18

export function seenPart(layout: GraphLayout, { camera, width, height }: GraphLook): Visible {
  const step = layout.sizes.width + layout.sizes.gapX
  return {
    from: Math.max(0, Math.floor(-camera.x / camera.zoom / step)),
    to: Math.min(layout.levels.length - 1, Math.floor((width - camera.x) / camera.zoom / step)),
    top: -camera.y / camera.zoom - layout.sizes.height,
    bottom: (height - camera.y) / camera.zoom + layout.sizes.height,
  }
}

export function drawGraph(g: CanvasRenderingContext2D, scene: GraphScene, look: GraphLook): BandLabel[] {
  const seen = seenPart(scene.layout, look)
  g.fillStyle = look.tokens.value('bg')
  g.fillRect(0, 0, look.width, look.height)
  g.textBaseline = 'middle'
  g.textAlign = 'left'
  const labels = drawBands(g, scene, look)
  drawEdges(g, scene, look, seen)
  drawNodes(g, scene, look, seen)
  for (const node of [look.hovered, look.selected]) if (node >= 0) drawOutline(g, scene, look, node)
  return labels
}

function font(g: CanvasRenderingContext2D, look: GraphLook, px: number, weight = 400): void {
  g.font = `${weight} ${look.isChinese ? Math.max(12, px) : px}px ${look.tokens.fontUi}`
}

function drawBands(g: CanvasRenderingContext2D, scene: GraphScene, look: GraphLook): BandLabel[] {
  const { bands } = scene
  const { camera, tokens } = look
  const labels: BandLabel[] = []
  font(g, look, 11)
  for (const band of bands) {
    const x = camera.x + band.left * camera.zoom
    const wide = (band.right - band.left) * camera.zoom
    const y = camera.y + band.top * camera.zoom
    const high = (band.bottom - band.top) * camera.zoom
    if (x + wide < 0 || x > look.width || y > look.height + LABEL || y + high < 0) continue
    g.fillStyle = tokens.value('bg-rail')
    g.strokeStyle = tokens.value('line')
    g.lineWidth = 1
    g.beginPath()
    g.roundRect(Math.round(x) + 0.5, Math.round(y) + 0.5, Math.round(wide), Math.round(high), 4)
    g.fill()
    g.stroke()
    if (scene.layout.sizes.height * camera.zoom < SMALLEST) drawShares(g, scene, look, band.scope, x, y + high + 2, wide)
    const text = fitText(g, band.name, wide - 4)
    const isCovered = bands.some((other) => other !== band && overlaps(other, band, LABEL / camera.zoom))
    if (isCovered || text.length < Math.min(2, band.name.length)) continue
    // The name stays in view while a wide band is moved through.
    const at = Math.min(Math.max(x, 4), x + wide - textWidth(g, text) - 4)
    g.fillStyle = tokens.value('ink-3')
    g.fillText(text, at + 2, y - LABEL / 2 + 1)
    labels.push({ scope: band.scope, x: at, y: y - LABEL, width: Math.max(24, textWidth(g, text) + 4), height: LABEL })
  }
  return labels
}

/** Where nodes are too small for tags, a bar under a band says how many of its operators sit on which device. */
function drawShares(
  g: CanvasRenderingContext2D,
  { placement }: GraphScene,
  { tokens }: GraphLook,
  scope: number,
  x: number,
  y: number,
  wide: number,
): void {
  const counts = placement?.shares.get(scope)
  if (!placement || !counts) return
  const all = counts.reduce((sum, count) => sum + count, 0)
  let left = x
  counts.forEach((count, at) => {
    const part = all ? (wide * count) / all : 0
    g.fillStyle = tokens.device(placement.of.devices[at]?.slot ?? 1).fill
    g.fillRect(left, y, part, 5)
    left += part
  })
}

/** Whether a band lies where the name of another would stand, `high` units above it. */
function overlaps(band: Band, below: Band, high: number): boolean {
  return band.left < below.right && band.right > below.left && band.bottom > below.top - high && band.top < below.top
}

function drawEdges(g: CanvasRenderingContext2D, scene: GraphScene, look: GraphLook, seen: Visible): void {
  const { view, layout, placement } = scene
  const { camera, tokens } = look
  const curved = camera.zoom > 0.25
  g.save()
  g.translate(camera.x, camera.y)
  g.scale(camera.zoom, camera.zoom)
  const groups = new Map<string, number[]>()
  const put = (key: string, edge: number) => {
    const list = groups.get(key)
    if (list) list.push(edge)
    else groups.set(key, [edge])
  }
  const dim = scene.found !== null
  for (let edge = 0; edge < view.source.length; edge += 1) {
    const isOfSelected = look.selected >= 0 && (view.source[edge] === look.selected || view.target[edge] === look.selected)
    const isStrong = isOfSelected || placement?.nodes.cut[edge] === 1
    const wide = placement && !isStrong ? 1 : edgeWidth(view.size[edge] ?? 0)
    put(`${isOfSelected ? 2 : isStrong ? 1 : 0} ${wide}`, edge)
  }
  for (const key of [...groups.keys()].sort()) {
    const [rank, wide] = key.split(' ').map(Number)
    g.beginPath()
    for (const edge of groups.get(key) ?? []) traceEdge(g, view, layout, edge, seen, curved, rank !== 0)
    g.strokeStyle = rank === 0 ? mix(tokens.value('line-control'), tokens.value('bg'), dim ? 0.7 : placement ? 0.45 : 0.2) : tokens.value('ink')
    const pixels = (rank === 2 ? 0.6 : 0) + (wide ?? 1) * Math.min(1, Math.max(0.5, camera.zoom))
    g.lineWidth = pixels / camera.zoom
    g.stroke()
  }
  g.restore()
}

function drawNodes(g: CanvasRenderingContext2D, scene: GraphScene, look: GraphLook, seen: Visible): void {
  const { view, layout, found, graph, placement } = scene
  const { camera, tokens } = look
  const bg = tokens.value('bg')
  const ink = tokens.value('ink')
  const plain = { heavy: mix(bg, ink, 0.14), light: mix(bg, ink, 0.05), edge: mix(bg, ink, 0.38), soft: mix(bg, ink, 0.22) }
  const wide = layout.sizes.width * camera.zoom
  const high = layout.sizes.height * camera.zoom
  const detailed = high >= SMALLEST
  for (let level = seen.from; level <= seen.to; level += 1) {
    for (const node of layout.levels[level] ?? []) {
      const at = layout.y[node] ?? 0
      if (at < seen.top || at > seen.bottom) continue
      const x = camera.x + (layout.x[node] ?? 0) * camera.zoom - wide / 2
      const y = camera.y + at * camera.zoom - high / 2
      const isFolded = (view.folded[node] ?? -1) >= 0
      const isHeavy = isFolded || HEAVY.has(graph.classes[view.first[node] ?? 0] ?? '')
      const on = placement?.nodes.device[node] ?? -1
      const device = on >= 0 ? placement?.of.devices[on] : undefined
      const colour = device && tokens.device(device.slot)
      const moved = placement?.nodes.moved[node] ?? 0
      const isQuiet = placement?.of.before !== undefined && moved === 0
      g.globalAlpha = (found && !found[node]) || isQuiet ? 0.25 : 1
      const fill = colour ? (isHeavy ? colour.fill : mix(colour.fill, bg, 0.5)) : isHeavy ? plain.heavy : plain.light
      if (!detailed) {
        // Blocks without text: a node is never less than 2 pixels.
        g.fillStyle = colour ? fill : isHeavy ? plain.edge : plain.soft
        g.fillRect(x, y, Math.max(2, wide), Math.max(2, high))
        continue
      }
      if (isFolded) {
        g.fillStyle = bg
        g.strokeStyle = plain.edge
        g.lineWidth = 1
        box(g, x + 3, y + 3, wide, high)
        box(g, x, y, wide, high)
      }
      g.fillStyle = fill
      g.strokeStyle = colour ? fill : isHeavy ? plain.edge : plain.soft
      g.lineWidth = 1
      box(g, x, y, wide, high)
      drawFoot(g, scene, look, node, { x, y, wide, high })
      if (high >= ONE_LINE) drawText(g, scene, look, node, { x, y, wide, high, ink: colour && isHeavy ? colour.ink : ink, tag: tagOf(scene, node) })
    }
  }
  g.globalAlpha = 1
}

function box(g: CanvasRenderingContext2D, x: number, y: number, wide: number, high: number): void {
  g.beginPath()
  g.roundRect(x, y, wide, high, 3)
  g.fill()
  g.stroke()
}

interface Place {
  readonly x: number
  readonly y: number
  readonly wide: number
  readonly high: number
}

/** At the foot: the second device of a folded scope; without a placement the compute, in proportion to the most. */
function drawFoot(g: CanvasRenderingContext2D, scene: GraphScene, look: GraphLook, node: number, at: Place): void {
  const { placement, view, mostFlops } = scene
  const thick = Math.max(2, Math.min(4, at.high * 0.1))
  if (placement) {
    if ((placement.nodes.critical[node] ?? 0) > 0) {
      g.fillStyle = look.tokens.value('ink')
      g.fillRect(at.x, at.y + at.high + 1, at.wide, 2)
    }
    const was = placement.of.before?.[view.first[node] ?? 0] ?? -1
    const isOne = (view.members[node] ?? 1) === 1
    // Of a plan beside another: the device that an operator comes from. Else the second device of a scope.
    const strip = placement.of.before && isOne ? (placement.nodes.moved[node] ? was : -1) : (placement.nodes.second[node] ?? -1)
    const second = placement.of.devices[strip]
    if (!second) return
    g.fillStyle = look.tokens.value('bg')
    g.fillRect(at.x, at.y + at.high - thick - 1, at.wide, 1)
    g.fillStyle = look.tokens.device(second.slot).fill
    g.fillRect(at.x, at.y + at.high - thick, at.wide, thick)
    return
  }
  const share = (view.flops[node] ?? 0) / mostFlops
  if (share < 0.005) return
  g.fillStyle = look.tokens.value('score-2')
  g.fillRect(at.x + 1, at.y + at.high - thick - 0.5, Math.max(1, (at.wide - 2) * share), thick)
}

/** "G0"; beside another plan "C0→G0" of what moved, and the number of those in a folded scope. */
function tagOf({ placement, view }: GraphScene, node: number): string {
  const tag = placement?.of.devices[placement.nodes.device[node] ?? -1]?.tag ?? ''
  const moved = placement?.nodes.moved[node] ?? 0
  if (!placement?.of.before || moved === 0) return tag
  if ((view.members[node] ?? 1) > 1) return `${tag} ${moved}↷`
  const was = placement.of.devices[placement.of.before[view.first[node] ?? 0] ?? -1]?.tag
  return was ? `${was}→${tag}` : tag
}

function drawText(
  g: CanvasRenderingContext2D,
  { graph, tree, view }: GraphScene,
  look: GraphLook,
  node: number,
  at: Place & { ink: string; tag: string },
): void {
  const op = view.first[node] ?? 0
  const folded = tree.scopes[view.folded[node] ?? -1]
  const grow = Math.max(1, Math.min(1.5, look.camera.zoom))
  const pad = 6 * grow
  const parts = view.parts[node] ?? 1
  const title = folded
    ? folded.path.slice(folded.path.lastIndexOf('/') + 1) + (parts > 1 ? ` ${view.part[node]}/${parts}` : '')
    : (graph.types[op] ?? '')
  const two = at.high >= TWO_LINES
  let left = at.x + pad
  let middle = at.y + at.high / 2 - (two ? 7 * grow : 0)
  g.fillStyle = at.ink
  if (at.tag) {
    g.font = `600 ${11 * grow}px ${look.tokens.fontTag}`
    g.fillText(at.tag, left, middle)
    left += textWidth(g, at.tag) + 5 * grow
  }
  font(g, look, (two ? 12 : 11) * grow, 600)
  g.fillText(fitText(g, title, at.x + at.wide - pad - left), left, middle)
  if (!two) return
  middle = at.y + at.high / 2 + 7 * grow
  font(g, look, 11 * grow)
  g.fillStyle = at.tag ? at.ink : look.tokens.value('ink-2')
  const second = folded ? look.operators(view.members[node] ?? 0) : shortName(graph.names[op] ?? '')
  g.fillText(fitText(g, second, at.wide - 2 * pad, folded ? 'end' : 'start'), at.x + pad, middle)
}

/** One line around what is pointed at, a double one around what is selected. */
function drawOutline(g: CanvasRenderingContext2D, { layout }: GraphScene, look: GraphLook, node: number): void {
  const { camera, tokens } = look
  const wide = Math.max(6, layout.sizes.width * camera.zoom)
  const high = Math.max(6, layout.sizes.height * camera.zoom)
  const x = camera.x + (layout.x[node] ?? 0) * camera.zoom - wide / 2
  const y = camera.y + (layout.y[node] ?? 0) * camera.zoom - high / 2
  const around = (out: number, width: number, colour: string) => {
    g.strokeStyle = colour
    g.lineWidth = width
    g.beginPath()
    g.roundRect(x - out, y - out, wide + 2 * out, high + 2 * out, 3 + out)
    g.stroke()
  }
  if (node !== look.selected) { around(0.5, 1, tokens.value('ink')); return; }
  around(1.5, 3, tokens.value('bg'))
  around(3, 2, tokens.value('ink'))
}
