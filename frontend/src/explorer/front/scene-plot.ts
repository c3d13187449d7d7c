/** One plotly scene in one element: draws at most one figure at a time, keeps the camera, knows where plans are. */
import type { Config, PlotlyHTMLElement } from 'plotly.js'

import type { Plotly } from '../../charts/plotly'
import { type Camera, nearest, type Pixel, type Point3, project } from './project'
import { firstCamera, type SceneFigure } from './scene-figure'

const CONFIG: Partial<Config> = { displayModeBar: false, displaylogo: false, responsive: false, doubleClick: false }

const SLOW_MS = 120
const PAUSE_MS = 180

interface Internals {
  readonly _fullLayout?: {
    readonly scene?: {
      readonly _scene?: {
        readonly glplot?: { readonly cameraParams?: Camera } | null
        readonly dataScale?: Point3
      }
    }
  }
}

export class ScenePlot {
  private figure: SceneFigure | null = null
  private waiting: SceneFigure | null = null
  private busy = false
  private timer: ReturnType<typeof setTimeout> | null = null
  private frame = 0
  private gone = false
  /** How long the last drawing took, in milliseconds. */
  private took = 0

  constructor(
    private readonly plotly: Plotly,
    private readonly element: HTMLElement,
    private readonly onDrawn: () => void,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  /**
   * Show `figure` in the next frame; of several asked for meanwhile only the last is drawn. Where a drawing is slow
   * (thousands of plans, no graphics hardware) it waits for a pause, so that a slider stays smooth.
   */
  draw(figure: SceneFigure): void {
    this.waiting = figure
    if (this.busy || this.frame) return
    if (this.took < SLOW_MS) {
      this.nextFrame()
      return
    }
    if (this.timer) clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.timer = null
      this.nextFrame()
    }, PAUSE_MS)
  }

  private nextFrame(): void {
    this.frame = requestAnimationFrame(() => {
      this.frame = 0
      void this.run()
    })
  }

  private async run(): Promise<void> {
    this.busy = true
    try {
      const next = this.gone ? null : this.waiting
      if (!next) return
      this.waiting = null
      const begun = performance.now()
      await this.plotly.react(this.element, next.data, next.layout, CONFIG)
      this.figure = next
      this.took = performance.now() - begun
      if (this.alive()) this.onDrawn()
    } catch (error) {
      if (this.alive()) this.onFailed(error)
    } finally {
      this.busy = false
    }
    if (this.waiting && this.alive()) this.draw(this.waiting)
  }

  private alive(): boolean {
    return !this.gone
  }

  resetCamera(): void {
    if (this.figure) void this.plotly.relayout(this.element, { 'scene.camera': firstCamera() } as never)
  }

  /** Pixels of all plans relative to the element; null for a plan outside the axes or before the first frame. */
  pixels(): (Pixel | null)[] {
    const scene = (this.element as unknown as PlotlyHTMLElement & Internals)._fullLayout?.scene?._scene
    const camera = scene?.glplot?.cameraParams
    const scale = scene?.dataScale
    const { figure } = this
    if (!camera || !scale || !figure) return []
    const { clientWidth, clientHeight } = this.element
    return figure.points.map((p) => (p ? project(camera, scale, p, clientWidth, clientHeight) : null))
  }

  planAt(x: number, y: number, reach: number): number {
    return nearest(this.pixels(), x, y, reach)
  }

  dispose(): void {
    this.gone = true
    cancelAnimationFrame(this.frame)
    if (this.timer) clearTimeout(this.timer)
    this.plotly.purge(this.element)
  }
}
