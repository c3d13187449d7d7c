/** One plotly scene in one element, with a canvas over it: draws axes when they change, plans at every frame. */
import type { Config, PlotlyHTMLElement } from 'plotly.js'

import type { Plotly } from '../../charts/plotly'
import { type Camera, FIRST_STAND, type Sides, type Stand, standing } from './camera'
import { DotRaster } from './dot-raster'
import { type Matrices, nearest, type Pixel, type Point3, projector } from './project'
import type { SceneFigure } from './scene-figure'
import { paint, type Painting, type Places, placesOf } from './scene-paint'

const CONFIG: Partial<Config> = { displayModeBar: false, displaylogo: false, responsive: false, doubleClick: false }

const NOWHERE: Places = { pixels: [], order: new Uint32Array() }

interface GlPlot {
  cameraParams?: Matrices
  onrender?: (() => void) | null
  getAspectratio: () => Sides
}

interface GlScene {
  readonly glplot?: GlPlot | null
  readonly dataScale?: Point3
  getCamera: () => Camera
}

interface Internals {
  readonly _fullLayout?: { readonly scene?: { readonly _scene?: GlScene } }
}

/** What is shown: the axes, where every plan stands in them (null outside), and how plans are painted. */
export interface SceneView {
  readonly figure: SceneFigure
  readonly points: readonly (Point3 | null)[]
  readonly painting: Painting
}

export class ScenePlot {
  private view: SceneView | null = null
  private drawn: SceneFigure | null = null
  private busy = false
  private frame = 0
  private gone = false
  private hooked: GlPlot | null = null
  /** Where the plans are, as long as neither they nor the camera move. */
  private placed: Places | null = null
  private readonly raster = new DotRaster()

  /** `kept` holds where the reader stands beyond this scene's life. */
  constructor(
    private readonly plotly: Plotly,
    private readonly element: HTMLElement,
    private readonly canvas: HTMLCanvasElement,
    private readonly onDrawn: () => void,
    private readonly onFailed: (error: unknown) => void,
    private readonly kept: { current: Stand },
  ) {}

  /** Show `view`: new plans at once, new axes in the next frame; of several asked for meanwhile only the last. */
  show(view: SceneView): void {
    if (view.points !== this.view?.points) this.placed = null
    this.view = view
    if (view.figure === this.drawn) this.paint()
    else if (!this.busy && !this.frame)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0
        void this.draw()
      })
  }

  private async draw(): Promise<void> {
    const figure = this.view?.figure
    if (!figure || this.gone) return
    this.busy = true
    try {
      this.keep()
      const scene = { ...figure.layout.scene, ...standing(this.kept.current, figure.sides) }
      await this.plotly.react(this.element, figure.data, { ...figure.layout, scene }, CONFIG)
      this.drawn = figure
      this.placed = null
      if (this.alive()) {
        this.follow()
        this.paint()
        this.onDrawn()
      }
    } catch (error) {
      if (this.alive()) this.onFailed(error)
    } finally {
      this.busy = false
    }
    if (this.alive() && this.view && this.view.figure !== figure) this.show(this.view)
  }

  private alive(): boolean {
    return !this.gone
  }

  private scene() {
    return (this.element as unknown as PlotlyHTMLElement & Internals)._fullLayout?.scene?._scene
  }

  /** Paint whenever plotly has drawn a frame, as while the view is turned. */
  private follow(): void {
    const plot = this.scene()?.glplot
    if (!plot || plot === this.hooked) return
    this.hooked = plot
    const before = plot.onrender
    plot.onrender = () => {
      before?.()
      this.placed = null
      if (this.alive()) this.paint()
    }
  }

  private project(): ((point: Point3) => Pixel | null) | null {
    const scene = this.scene()
    const camera = scene?.glplot?.cameraParams
    const scale = scene?.dataScale
    // The size that it was drawn in: asking the element would lay the page out, in the middle of a move.
    return camera && scale && this.drawn ? projector(camera, scale, this.drawn.width, this.drawn.height) : null
  }

  private paint(): void {
    const project = this.project()
    if (!project || !this.drawn || this.view?.figure !== this.drawn) return
    paint(this.canvas, this.view.painting, this.places() ?? NOWHERE, project, this.drawn.width, this.drawn.height, this.raster)
  }

  /** The axes as a picture; the plans are on the canvas over them. */
  picture(): Promise<string> {
    const { width, height } = this.drawn ?? { width: this.element.clientWidth, height: this.element.clientHeight }
    return this.plotly.toImage(this.element, { format: 'png', width, height, scale: 2 } as never)
  }

  resetCamera(): void {
    this.move(() => FIRST_STAND)
  }

  /** Move the reader from where a pointer or key has led to. */
  move(change: (stand: Stand) => Stand): void {
    if (!this.drawn) return
    this.keep()
    this.kept.current = change(this.kept.current)
    const { camera, aspectratio } = standing(this.kept.current, this.drawn.sides)
    void this.plotly.relayout(this.element, { 'scene.camera': camera, 'scene.aspectratio': aspectratio } as never)
  }

  /** Note where the reader stands now. */
  private keep(): void {
    const scene = this.scene()
    if (!this.drawn || !scene?.glplot) return
    this.kept.current = { camera: scene.getCamera(), zoom: scene.glplot.getAspectratio().x / this.drawn.sides.x }
  }

  private places(): Places | null {
    if (!this.view || this.view.figure !== this.drawn) return null
    const project = this.placed ? null : this.project()
    if (project) this.placed = placesOf(this.view.points.map((p) => p && project(p)))
    return this.placed
  }

  /** Pixels of all plans relative to the element; null for a plan outside the axes; empty before the first frame. */
  pixels(): readonly (Pixel | null)[] {
    return (this.places() ?? NOWHERE).pixels
  }

  planAt(x: number, y: number, reach: number): number {
    return nearest(this.pixels(), x, y, reach)
  }

  dispose(): void {
    this.keep()
    this.gone = true
    cancelAnimationFrame(this.frame)
    this.plotly.purge(this.element)
  }
}
