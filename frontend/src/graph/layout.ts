// Where every node stands: levels from left to right, four barycentre sweeps for the order in them, then the heights.
// Depends on the graph and on what is folded alone, never on a placement, so that nothing moves when that changes.
import { adjacency, type Adjacency } from './data'
import { lanesOf, type Lanes } from './lanes'
import { type Edges, levelsOf } from './levels'
import { spread } from './place'

export interface Sizes {
  readonly width: number
  readonly height: number
  /** Between two levels. */
  readonly gapX: number
  /** Between two nodes of a level. */
  readonly gapY: number
  /** Height that an edge takes where it passes a level. */
  readonly lane: number
}

export interface GraphLayout {
  readonly sizes: Sizes
  readonly level: Int32Array
  /** Nodes of every level from top to bottom. */
  readonly levels: readonly Int32Array[]
  /** Middle of every node. */
  readonly x: Float64Array
  readonly y: Float64Array
  readonly lanes: Lanes
  readonly laneY: Float64Array
  readonly width: number
  readonly height: number
}

const SWEEPS = 4

export function layoutGraph(edges: Edges, sizes: Sizes): GraphLayout {
  const { count } = edges
  const level = levelsOf(edges)
  const lanes = lanesOf(edges, level)
  const links = linksOf(edges, level, lanes)
  const total = count + lanes.level.length
  const levelOf = (item: number) => (item < count ? level[item] : lanes.level[item - count]) ?? 0
  const depth = level.reduce((most, at) => Math.max(most, at + 1), 0)
  const rows: number[][] = Array.from({ length: depth }, () => [])
  for (let item = 0; item < total; item += 1) rows[levelOf(item)]?.push(item)
  order(rows, links, total)
  const half = (item: number) => (item < count ? sizes.height + sizes.gapY : sizes.lane) / 2
  const y = heights(rows, links, total, count, half)
  let top = Infinity
  let bottom = -Infinity
  for (let item = 0; item < total; item += 1) {
    const reach = item < count ? sizes.height / 2 : sizes.lane / 2
    top = Math.min(top, (y[item] ?? 0) - reach)
    bottom = Math.max(bottom, (y[item] ?? 0) + reach)
  }
  if (total === 0) top = bottom = 0
  const step = sizes.width + sizes.gapX
  return {
    sizes,
    level,
    levels: rows.map((row) => Int32Array.from(row.filter((item) => item < count))),
    x: Float64Array.from(level, (at) => at * step + sizes.width / 2),
    y: y.subarray(0, count).map((at) => at - top),
    lanes,
    laneY: y.subarray(count).map((at) => at - top),
    width: depth === 0 ? 0 : depth * step - sizes.gapX,
    height: bottom - top,
  }
}

interface Links {
  readonly before: Adjacency
  readonly after: Adjacency
  readonly source: Int32Array
  readonly target: Int32Array
}

/** Links between neighbouring levels: edges that go one level on, and long ones cut at their lanes. */
function linksOf({ count, source, target }: Edges, level: Int32Array, lanes: Lanes): Links {
  const from: number[] = []
  const to: number[] = []
  lanes.of.forEach((node, lane) => {
    from.push(lane === lanes.first[node] ? node : count + lane - 1)
    to.push(count + lane)
  })
  source.forEach((node, edge) => {
    const reader = target[edge] ?? 0
    const steps = (level[reader] ?? 0) - (level[node] ?? 0)
    const first = lanes.first[node] ?? -1
    // An edge without lanes still pulls its ends towards each other.
    from.push(steps > 1 && first >= 0 ? count + first + steps - 2 : node)
    to.push(reader)
  })
  const total = count + lanes.of.length
  const [sources, targets] = [Int32Array.from(from), Int32Array.from(to)]
  return { source: sources, target: targets, before: adjacency(total, targets), after: adjacency(total, sources) }
}

/** Mean of `value` over the other ends of an item's links; `none` without any. */
function pull(item: number, side: Adjacency, ends: Int32Array, value: Float64Array, none: number): number {
  const first = side.start[item] ?? 0
  const last = side.start[item + 1] ?? 0
  if (first === last) return none
  let sum = 0
  for (let k = first; k < last; k += 1) sum += value[ends[side.list[k] ?? 0] ?? 0] ?? 0
  return sum / (last - first)
}

/** As `pull` on the heights, but lanes follow lanes and nodes follow nodes where they can: both then run straight. */
function straightest(item: number, side: Adjacency, ends: Int32Array, y: Float64Array, nodes: number): number {
  let sum = 0
  let count = 0
  for (let k = side.start[item] ?? 0; k < (side.start[item + 1] ?? 0); k += 1) {
    const other = ends[side.list[k] ?? 0] ?? 0
    if (other < nodes !== item < nodes) continue
    sum += y[other] ?? 0
    count += 1
  }
  return count > 0 ? sum / count : pull(item, side, ends, y, y[item] ?? 0)
}

/** Orders every level by the mean place of the neighbours (Sugiyama et al. 1981), forth and back in turn. */
function order(rows: number[][], links: Links, total: number): void {
  const place = new Float64Array(total)
  const key = new Float64Array(total)
  // Places are counted from the middle, so that levels of unlike length face each other.
  const number = (row: readonly number[]) => row.forEach((item, i) => (place[item] = i - (row.length - 1) / 2))
  rows.forEach(number)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forth = sweep % 2 === 0
    const side = forth ? links.before : links.after
    const ends = forth ? links.source : links.target
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[forth ? i : rows.length - 1 - i] ?? []
      for (const item of row) key[item] = pull(item, side, ends, place, place[item] ?? 0)
      row.sort((a, b) => (key[a] ?? 0) - (key[b] ?? 0) || (place[a] ?? 0) - (place[b] ?? 0))
      number(row)
    }
  }
}

/** Heights: every item as near to the mean of its neighbours as the others in its level let it. */
function heights(
  rows: readonly number[][],
  links: Links,
  total: number,
  nodes: number,
  half: (item: number) => number,
): Float64Array {
  const y = new Float64Array(total)
  for (const row of rows) {
    let at = 0
    row.forEach((item, i) => {
      if (i > 0) at += half(row[i - 1] ?? 0) + half(item)
      y[item] = at
    })
    for (const item of row) y[item] = (y[item] ?? 0) - at / 2
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forth = sweep % 2 === 0
    const side = forth ? links.before : links.after
    const ends = forth ? links.source : links.target
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[forth ? i : rows.length - 1 - i] ?? []
      const wish = row.map((item) => straightest(item, side, ends, y, nodes))
      const apart = row.map((item, k) => (k === 0 ? 0 : half(row[k - 1] ?? 0) + half(item)))
      spread(wish, apart).forEach((at, k) => (y[row[k] ?? 0] = at))
    }
  }
  return y
}
