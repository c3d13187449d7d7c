/** Paints the plans over the empty 3-D scene: thousands of points in a few milliseconds, in the frame of the input. */
import type { DotRaster } from './dot-raster'
import type { Pixel, Point3 } from './project'

export interface Marked {
  readonly point: Point3
  readonly which: 'A' | 'B' | 'default' | 'knee' | 'pick'
  readonly label: string
}

export const [HIDDEN, REMOVED, PASSING] = [0, 1, 2]

export interface Painting {
  /** Plans of an earlier front, drawn as rings below everything else. */
  readonly ghosts: readonly Point3[]
  /** How each plan is drawn: HIDDEN, REMOVED by a bound, or PASSING. */
  readonly kinds: Uint8Array
  readonly colours: readonly string[]
  /** Factors of the usual radius. */
  readonly sizes: readonly number[]
  /** In CSS pixels. */
  readonly radius: number
  /** A, B, the default plan, the knee and the weighted pick, with a drop line to `floor` and a label. */
  readonly marks: readonly Marked[]
  readonly floor: number
  readonly tones: { readonly bg: string; readonly ink: string; readonly ink2: string; readonly ink3: string; readonly ghost: string }
  readonly font: string
}

type Project = (point: Point3) => Pixel | null

/** Where the plans are, and those in view from the farthest to the nearest. */
export interface Places {
  readonly pixels: readonly (Pixel | null)[]
  readonly order: Uint32Array
}

export function placesOf(pixels: readonly (Pixel | null)[]): Places {
  const depth = Float64Array.from(pixels, (pixel) => pixel?.depth ?? 0)
  const seen = pixels.flatMap((pixel, i) => (pixel ? [i] : []))
  return { pixels, order: Uint32Array.from(seen).sort((a, b) => (depth[b] ?? 0) - (depth[a] ?? 0)) }
}
const TURN = 2 * Math.PI

function disc(g: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  g.beginPath()
  g.arc(x, y, radius, 0, TURN)
}

function eachDot({ kinds }: Painting, { pixels, order }: Places, kind: number, put: (pixel: Pixel, index: number) => void): void {
  for (const i of order) {
    const pixel = pixels[i]
    if (kinds[i] === kind && pixel) put(pixel, i)
  }
}

function paintDots(g: CanvasRenderingContext2D, painting: Painting, places: Places, kind: number, factor: number, edge: string | null): void {
  const { colours, sizes, radius } = painting
  if (edge) {
    g.strokeStyle = edge
    g.lineWidth = 1
  }
  eachDot(painting, places, kind, (pixel, i) => {
    disc(g, pixel.x, pixel.y, radius * factor * (sizes[i] ?? 1))
    g.fillStyle = colours[i] ?? ''
    g.fill()
    if (edge) g.stroke()
  })
}

/** A label's box: left, top, right, bottom. */
type Box = readonly [number, number, number, number]
const LABEL_HEIGHT = 18
/** From the mark to its label, in pixels. */
const AWAY = { A: 46, B: 54, default: 34, knee: 40, pick: 40 }
const RISE = { A: -34, B: -22, default: -10, knee: 20, pick: 32 }

function free(box: Box, taken: readonly Box[]): boolean {
  return taken.every(([left, top, right, bottom]) => box[2] <= left || box[0] >= right || box[3] <= top || box[1] >= bottom)
}

/** Label with a leader, on the side that is asked for unless it leaves the view there, and where no other label is. */
function paintLabel(g: CanvasRenderingContext2D, { which, label }: Marked, at: Pixel, painting: Painting, width: number, toLeft: boolean, taken: Box[]): void {
  const { tones: colours, font } = painting
  const bold = which === 'A' || which === 'B' ? `${which} ` : ''
  g.font = `600 12px ${font}`
  const boldWidth = bold ? g.measureText(bold).width : 0
  g.font = `12px ${font}`
  const space = boldWidth + g.measureText(label).width
  const away = AWAY[which]
  const left = toLeft ? at.x - away - space > 4 : at.x + away + space > width - 4
  const dx = left ? -away : away
  const x = at.x + dx - (left ? space : 0)
  const boxAt = (rise: number): Box => [x - 3, at.y + rise - LABEL_HEIGHT / 2, x + space + 3, at.y + rise + LABEL_HEIGHT / 2]
  // The first place of a few, downwards.
  const dy = [0, 1, 2, 3].map((k) => RISE[which] + k * (LABEL_HEIGHT + 2)).find((rise) => free(boxAt(rise), taken)) ?? RISE[which]
  const y = at.y + dy
  taken.push(boxAt(dy))
  g.strokeStyle = colours.ink
  g.lineWidth = 1.2
  g.beginPath()
  g.moveTo(at.x, at.y)
  g.lineTo(at.x + dx + (left ? 3 : -3), y)
  g.stroke()
  g.globalAlpha = 0.8
  g.fillStyle = colours.bg
  g.fillRect(x - 3, y - LABEL_HEIGHT / 2, space + 6, LABEL_HEIGHT)
  g.globalAlpha = 1
  g.textBaseline = 'middle'
  g.fillStyle = bold ? colours.ink : colours.ink2
  g.font = `600 12px ${font}`
  g.fillText(bold, x, y)
  g.font = `12px ${font}`
  g.fillText(label, x + boldWidth, y)
}

function paintSymbol(g: CanvasRenderingContext2D, which: Marked['which'], at: Pixel, { tones: colours }: Painting): void {
  if (which === 'default') {
    g.beginPath()
    for (const [px, py] of [[0, -4.5], [4.5, 0], [0, 4.5], [-4.5, 0]] as const) g.lineTo(at.x + px, at.y + py)
    g.closePath()
    g.fillStyle = colours.ink2
    g.fill()
    return
  }
  if (which === 'knee' || which === 'pick') {
    // Around what else is at the place, so that both can be seen.
    g.beginPath()
    const corners = which === 'knee' ? [[-7, -7], [7, -7], [7, 7], [-7, 7]] : [[0, -10], [9, 6], [-9, 6]]
    for (const [px = 0, py = 0] of corners) g.lineTo(at.x + px, at.y + py)
    g.closePath()
    g.strokeStyle = colours.ink
    g.lineWidth = 1.5
    g.stroke()
    return
  }
  disc(g, at.x, at.y, 5.5)
  g.fillStyle = which === 'A' ? colours.ink : colours.bg
  g.fill()
  g.strokeStyle = which === 'A' ? colours.bg : colours.ink
  g.lineWidth = which === 'A' ? 1 : 2.5
  g.stroke()
}

/** Paint onto `canvas`, which is `width` x `height` CSS pixels; `places` are those of all plans. */
export function paint(canvas: HTMLCanvasElement, painting: Painting, places: Places, project: Project, width: number, height: number, raster: DotRaster): void {
  const ratio = window.devicePixelRatio || 1
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w
    canvas.height = h
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  const g = canvas.getContext('2d')
  if (!g) return
  g.setTransform(ratio, 0, 0, ratio, 0, 0)
  g.clearRect(0, 0, width, height)
  const { tones: colours, floor } = painting
  g.strokeStyle = colours.ghost
  g.lineWidth = 1
  g.beginPath()
  for (const point of painting.ghosts) {
    const p = project(point)
    if (!p) continue
    g.moveTo(p.x + 3, p.y)
    g.arc(p.x, p.y, 3, 0, TURN)
  }
  g.stroke()
  const dots = (kind: number, factor: number, edge: string | null) => {
    if (raster.begin(g, ratio, places.order.length)) {
      eachDot(painting, places, kind, (pixel, i) => raster.disc(pixel.x, pixel.y, painting.radius * factor * (painting.sizes[i] ?? 1), painting.colours[i] ?? '', edge, 1))
      raster.end(g)
    } else paintDots(g, painting, places, kind, factor, edge)
  }
  dots(REMOVED, 0.62, null)
  const marks = painting.marks.flatMap((mark) => {
    const at = project(mark.point)
    const foot = project([mark.point[0], mark.point[1], floor])
    return at && foot ? [{ mark, at, foot }] : []
  })
  g.strokeStyle = colours.ink3
  g.lineWidth = 1.5
  for (const { at, foot } of marks) {
    g.beginPath()
    g.moveTo(at.x, at.y)
    g.lineTo(foot.x, foot.y)
    g.stroke()
    disc(g, foot.x, foot.y, 2)
    g.fillStyle = colours.ink3
    g.fill()
  }
  dots(PASSING, 1, colours.bg)
  const other = marks.find(({ mark }) => mark.which === 'B')
  const own = marks.find(({ mark }) => mark.which === 'A')
  // The leader of the left one of A and B goes to the left, so that the two do not cross.
  const first = own && other && other.at.x < own.at.x ? 'B' : 'A'
  const taken: Box[] = []
  // A chooses its label's place first; its symbol lies on top.
  for (const { mark, at } of [...marks].reverse()) if (mark.label) paintLabel(g, mark, at, painting, width, mark.which === first, taken)
  for (const { mark, at } of marks) paintSymbol(g, mark.which, at, painting)
}
