/** A canvas under an SVG drawing that holds the plans: it is drawn when they change, never for the pointer. */
import { useLayoutEffect, useRef } from 'react'

import { keepVector } from '../../drawing/vector'

/** `ratio` is device pixels per CSS pixel: lines of one device pixel are drawn many times faster than wider ones. */
export type Draw = (g: CanvasRenderingContext2D, ratio: number) => void

interface Props {
  readonly width: number
  readonly height: number
  readonly ratio: number
  readonly draw: Draw
  /** How many plans, and how many of an earlier front, are drawn; for tests. */
  readonly plans: number
  readonly earlier: number
}

export function Layer({ width, height, ratio, draw, plans, earlier }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    const element = canvas.current
    const g = element?.getContext('2d')
    if (!element || !g) return
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (element.width !== w || element.height !== h) {
      element.width = w
      element.height = h
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0)
    g.clearRect(0, 0, width, height)
    draw(g, ratio)
    keepVector(element, width, height, (svg) => draw(svg, 2))
  }, [width, height, ratio, draw])
  return <canvas ref={canvas} className="xp-layer" style={{ width, height }} aria-hidden="true" data-plans={plans} data-earlier={earlier} />
}
