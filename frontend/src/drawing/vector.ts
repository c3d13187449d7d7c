// A canvas that can also be had as SVG: what drew it last, kept on the element.
import { SvgContext } from './svg-context'

export interface VectorCanvas extends HTMLCanvasElement {
  /** The drawing as an SVG document. */
  vector?: (title: string) => string
}

/** An element whose look only its own library can give. */
export interface PicturedElement extends HTMLElement {
  /** A picture as a data URL. */
  picture?: () => Promise<string>
}

/** Keep how `canvas` was drawn: `width` and `height` in its own units. */
export function keepVector(canvas: VectorCanvas, width: number, height: number, draw: (g: CanvasRenderingContext2D) => void): void {
  canvas.vector = (title) => {
    const svg = new SvgContext(width, height, canvas.ownerDocument.createElement('canvas').getContext('2d'))
    // It has what our drawings call, not all of a context.
    draw(svg as unknown as CanvasRenderingContext2D)
    return svg.svg(title)
  }
}
