// The part of a canvas's 2-D context that our drawings use, writing SVG: one drawing serves screen and file.

interface State {
  fillStyle: string
  strokeStyle: string
  lineWidth: number
  globalAlpha: number
  font: string
  textAlign: CanvasTextAlign
  textBaseline: CanvasTextBaseline
  dash: readonly number[]
  /** Scale and shift. */
  matrix: readonly [number, number, number, number]
  clip: string | null
}

const START: State = {
  fillStyle: '#000',
  strokeStyle: '#000',
  lineWidth: 1,
  globalAlpha: 1,
  font: '12px sans-serif',
  textAlign: 'left',
  textBaseline: 'alphabetic',
  dash: [],
  matrix: [1, 1, 0, 0],
  clip: null,
}

const ANCHORS: Readonly<Record<string, string>> = { center: 'middle', right: 'end', end: 'end' }

function escaped(text: string): string {
  // Control characters are no XML, whatever a model's names hold.
  return Array.from(text, (c) => ((c.codePointAt(0) ?? 0) < 32 ? ' ' : c))
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const n = (value: number): string => String(Math.round(value * 100) / 100)

/** Records drawing calls; `svg` gives the document. Text is measured by a real context. */
export class SvgContext {
  private state: State = { ...START }
  private readonly stack: State[] = []
  private readonly parts: string[] = []
  private readonly defs: string[] = []
  private path: string[] = []

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly measure: CanvasRenderingContext2D | null,
  ) {}

  get fillStyle() { return this.state.fillStyle }
  set fillStyle(value: string) { this.state.fillStyle = value }
  get strokeStyle() { return this.state.strokeStyle }
  set strokeStyle(value: string) { this.state.strokeStyle = value }
  get lineWidth() { return this.state.lineWidth }
  set lineWidth(value: number) { this.state.lineWidth = value }
  get globalAlpha() { return this.state.globalAlpha }
  set globalAlpha(value: number) { this.state.globalAlpha = value }
  get font() { return this.state.font }
  set font(value: string) { this.state.font = value }
  get textAlign() { return this.state.textAlign }
  set textAlign(value: CanvasTextAlign) { this.state.textAlign = value }
  get textBaseline() { return this.state.textBaseline }
  set textBaseline(value: CanvasTextBaseline) { this.state.textBaseline = value }

  save(): void { this.stack.push({ ...this.state }) }
  restore(): void { this.state = this.stack.pop() ?? this.state }
  setTransform(): void { this.state.matrix = START.matrix }
  translate(x: number, y: number): void {
    const [sx, sy, tx, ty] = this.state.matrix
    this.state.matrix = [sx, sy, tx + x * sx, ty + y * sy]
  }
  scale(x: number, y: number): void {
    const [sx, sy, tx, ty] = this.state.matrix
    this.state.matrix = [sx * x, sy * y, tx, ty]
  }
  setLineDash(dash: number[]): void { this.state.dash = dash }
  measureText(text: string): TextMetrics {
    if (!this.measure) return { width: text.length * 6 } as TextMetrics
    this.measure.font = this.state.font
    return this.measure.measureText(text)
  }

  beginPath(): void { this.path = [] }
  closePath(): void { this.path.push('Z') }
  moveTo(x: number, y: number): void { this.path.push(`M${this.at(x, y)}`) }
  lineTo(x: number, y: number): void { this.path.push(`L${this.at(x, y)}`) }
  bezierCurveTo(a: number, b: number, c: number, d: number, x: number, y: number): void {
    this.path.push(`C${this.at(a, b)} ${this.at(c, d)} ${this.at(x, y)}`)
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.path.push(`M${this.at(x, y)}L${this.at(x + w, y)}L${this.at(x + w, y + h)}L${this.at(x, y + h)}Z`)
  }
  roundRect(x: number, y: number, w: number, h: number, radius: number): void {
    const r = Math.max(0, Math.min(radius, w / 2, h / 2))
    const rr = `${n(r * this.state.matrix[0])} ${n(r * this.state.matrix[1])} 0 0 1`
    this.path.push(
      `M${this.at(x + r, y)}L${this.at(x + w - r, y)}A${rr} ${this.at(x + w, y + r)}L${this.at(x + w, y + h - r)}A${rr} ${this.at(x + w - r, y + h)}` +
        `L${this.at(x + r, y + h)}A${rr} ${this.at(x, y + h - r)}L${this.at(x, y + r)}A${rr} ${this.at(x + r, y)}Z`,
    )
  }
  arc(x: number, y: number, r: number): void {
    const rr = `${n(r * this.state.matrix[0])} ${n(r * this.state.matrix[1])} 0 1 1`
    this.path.push(`M${this.at(x - r, y)}A${rr} ${this.at(x + r, y)}A${rr} ${this.at(x - r, y)}Z`)
  }
  clip(): void {
    const id = `c${this.defs.length}`
    const outer = this.state.clip ? ` clip-path="url(#${this.state.clip})"` : ''
    this.defs.push(`<clipPath id="${id}"><path d="${this.path.join('')}"${outer}/></clipPath>`)
    this.state.clip = id
  }

  fill(): void { this.put(`<path d="${this.path.join('')}" fill="${escaped(this.fillStyle)}"`) }
  stroke(): void { this.put(`<path d="${this.path.join('')}" fill="none"${this.line()}`) }
  fillRect(x: number, y: number, w: number, h: number): void {
    const [sx, sy] = this.state.matrix
    const [px, py] = this.at(x, y).split(' ')
    if (w * sx > 0 && h * sy > 0) this.put(`<rect x="${px}" y="${py}" width="${n(w * sx)}" height="${n(h * sy)}" fill="${escaped(this.fillStyle)}"`)
  }
  strokeRect(x: number, y: number, w: number, h: number): void {
    const path = this.path
    this.path = []
    this.rect(x, y, w, h)
    this.stroke()
    this.path = path
  }
  fillText(text: string, x: number, y: number): void {
    const [px, py] = this.at(x, y).split(' ')
    const anchor = ANCHORS[this.textAlign] ?? 'start'
    const middle = this.textBaseline === 'middle' ? ' dominant-baseline="central"' : ''
    this.put(`<text x="${px}" y="${py}" text-anchor="${anchor}"${middle} style="font:${escaped(this.font)}" fill="${escaped(this.fillStyle)}"`, escaped(text), 'text')
  }

  /** The document, as a file of its own. */
  svg(title: string): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${n(this.width)}" height="${n(this.height)}" viewBox="0 0 ${n(this.width)} ${n(this.height)}" role="img">` +
      `<title>${escaped(title)}</title><defs>${this.defs.join('')}</defs>${this.parts.join('')}</svg>`
    )
  }

  private at(x: number, y: number): string {
    const [sx, sy, tx, ty] = this.state.matrix
    return `${n(x * sx + tx)} ${n(y * sy + ty)}`
  }
  private line(): string {
    const { lineWidth, dash, matrix } = this.state
    const dashes = dash.length ? ` stroke-dasharray="${dash.map((part) => n(part * matrix[0])).join(' ')}"` : ''
    return ` stroke="${escaped(this.strokeStyle)}" stroke-width="${n(lineWidth * matrix[0])}"${dashes}`
  }
  private put(open: string, body = '', name = 'path'): void {
    const { globalAlpha, clip } = this.state
    const alpha = globalAlpha < 1 ? ` opacity="${n(globalAlpha)}"` : ''
    const inside = clip ? ` clip-path="url(#${clip})"` : ''
    this.parts.push(body ? `${open}${alpha}${inside}>${body}</${name}>` : `${open}${alpha}${inside}/>`)
  }
}
