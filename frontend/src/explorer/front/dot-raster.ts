/** Thousands of discs as pixels of one image: a canvas takes ten times as long to fill as many paths. */
import { parseHex } from '../../drawing/colours'

/** From so many discs on an image is quicker than paths. */
const MANY = 300

/** Red, green and blue in the bytes of a number, as an image has them on every machine that runs a browser. */
function packed(colour: string): number {
  const [red, green, blue] = parseHex(colour)
  return red | (green << 8) | (blue << 16)
}

export class DotRaster {
  private canvas: HTMLCanvasElement | null = null
  private g: CanvasRenderingContext2D | null = null
  private image: ImageData | null = null
  private words = new Uint32Array()
  private ratio = 1
  private readonly colours = new Map<string, number>()

  /**
   * Whether `count` discs are to be drawn on `g` here, which takes up an empty image of its size: in a drawing
   * that is written as SVG, and where they are few, they are paths.
   */
  begin(g: CanvasRenderingContext2D, ratio: number, count: number): boolean {
    if (count < MANY || typeof CanvasRenderingContext2D === 'undefined' || !(g instanceof CanvasRenderingContext2D)) return false
    const { width, height } = g.canvas
    if (!width || !height) return false
    if (this.image?.width !== width || this.image.height !== height) {
      this.canvas = g.canvas.ownerDocument.createElement('canvas')
      this.canvas.width = width
      this.canvas.height = height
      this.g = this.canvas.getContext('2d', { willReadFrequently: true })
      this.image = new ImageData(width, height)
      this.words = new Uint32Array(this.image.data.buffer)
    } else this.words.fill(0)
    this.ratio = ratio
    return this.g !== null
  }

  /** A disc at CSS pixels; `edge` is a line of `edgeWidth` around it, half of it inside. */
  disc(x: number, y: number, radius: number, colour: string, edge: string | null = null, edgeWidth = 0): void {
    if (edge === null) this.fill(x, y, radius, this.packed(colour))
    else {
      this.fill(x, y, radius + edgeWidth / 2, this.packed(edge))
      this.fill(x, y, radius - edgeWidth / 2, this.packed(colour))
    }
  }

  /** Lay the discs over what is on `g`. */
  end(g: CanvasRenderingContext2D): void {
    if (!this.g || !this.canvas || !this.image) return
    this.g.putImageData(this.image, 0, 0)
    g.save()
    g.setTransform(1, 0, 0, 1, 0, 0)
    g.drawImage(this.canvas, 0, 0)
    g.restore()
  }

  private packed(colour: string): number {
    let known = this.colours.get(colour)
    if (known === undefined) this.colours.set(colour, (known = packed(colour)))
    return known
  }

  private fill(x: number, y: number, radius: number, colour: number): void {
    if (!this.image) return
    paintDisc(this.words, this.image.width, this.image.height, x * this.ratio, y * this.ratio, radius * this.ratio, colour)
  }
}

/** A disc on `words` (0xAABBGGRR, rows of `width`), its rim smoothed over a pixel; what is outside is left out. */
export function paintDisc(words: Uint32Array, width: number, height: number, x: number, y: number, radius: number, colour: number): void {
  const reach = radius + 0.5
  const top = Math.max(0, Math.ceil(y - reach - 0.5))
  const bottom = Math.min(height - 1, Math.floor(y + reach - 0.5))
  const left = Math.max(0, Math.ceil(x - reach - 0.5))
  const right = Math.min(width - 1, Math.floor(x + reach - 0.5))
  const inner = Math.max(0, radius - 0.5) ** 2
  const whole = (0xff000000 | colour) >>> 0
  for (let row = top; row <= bottom; row += 1) {
    const dy = row + 0.5 - y
    for (let column = left, at = row * width + left; column <= right; column += 1, at += 1) {
      const dx = column + 0.5 - x
      const square = dx * dx + dy * dy
      if (square <= inner) words[at] = whole
      else if (square < reach * reach) words[at] = over(words[at] ?? 0, colour, reach - Math.sqrt(square))
    }
  }
}

/** `colour` of this `opacity` over a pixel. */
function over(below: number, colour: number, opacity: number): number {
  const belowShare = ((below >>> 24) / 255) * (1 - opacity)
  const alpha = opacity + belowShare
  if (alpha <= 0) return 0
  const share = opacity / alpha
  const part = (shift: number) => {
    const old = (below >>> shift) & 255
    return Math.round(old + (((colour >>> shift) & 255) - old) * share) << shift
  }
  return ((Math.round(alpha * 255) << 24) | part(16) | part(8) | part(0)) >>> 0
}
