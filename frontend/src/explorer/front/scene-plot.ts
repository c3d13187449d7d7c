/** One 3-D scene on one canvas: axes and plans painted together, for the camera that the reader has turned. */
import { keepVector } from '../../drawing/vector'
import { type Camera, FIRST_CAMERA, nearest, type Pixel, type Point3, projector, type Stage } from './project'
import { type Axes, type AxesLook, paintAxes } from './scene-axes'
import { type Painting, paintPlans, type Places, placesOf } from './scene-paint'

/** What is shown: the axes, where every plan stands in them (null outside), and how plans are painted. */
export interface SceneView {
  readonly stage: Stage
  readonly axes: Axes
  readonly look: AxesLook
  readonly points: readonly (Point3 | null)[]
  readonly painting: Painting
}

export class ScenePlot {
  private view: SceneView | null = null
  private frame = 0
  /** Where the plans are, as long as neither they nor the camera nor the size changes. */
  private placed: Places | null = null

  /** `kept` holds the camera beyond this scene's life. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly kept: { current: Camera },
  ) {}

  /** Show `view` at once, in the frame of the input that it comes from. */
  show(view: SceneView): void {
    if (view.points !== this.view?.points || view.stage !== this.view.stage) this.placed = null
    this.view = view
    this.paint()
  }

  /** Move the camera; several moves before the next frame are painted once. */
  move(change: (camera: Camera) => Camera): void {
    this.kept.current = change(this.kept.current)
    this.placed = null
    this.frame ||= requestAnimationFrame(() => this.paint())
  }

  resetCamera(): void {
    this.move(() => FIRST_CAMERA)
  }

  private paint(): void {
    cancelAnimationFrame(this.frame)
    this.frame = 0
    const { view, canvas } = this
    const g = canvas.getContext('2d')
    if (!view || !g) return
    const { width, height } = view.stage
    const ratio = window.devicePixelRatio || 1
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w
      canvas.height = h
      // Its own size: that of its pane would be asked for in the middle of a move.
      canvas.style.width = `${width}px`
      canvas.style.height = `${height}px`
    }
    g.setTransform(ratio, 0, 0, ratio, 0, 0)
    g.clearRect(0, 0, width, height)
    const camera = this.kept.current
    const places = this.places(view)
    const draw = (to: CanvasRenderingContext2D) => {
      const project = projector(camera, view.stage)
      paintAxes(to, view.axes, camera, project, view.look, width)
      paintPlans(to, view.painting, places, project, width)
    }
    draw(g)
    keepVector(canvas, width, height, draw)
  }

  /** Pixels of all plans relative to the canvas; null for a plan outside the axes; empty before the first frame. */
  pixels(): readonly (Pixel | null)[] {
    return this.view ? this.places(this.view).pixels : []
  }

  private places(view: SceneView): Places {
    if (!this.placed) {
      const project = projector(this.kept.current, view.stage)
      this.placed = placesOf(view.points.map((p) => p && project(p)))
    }
    return this.placed
  }

  planAt(x: number, y: number, reach: number): number {
    return nearest(this.pixels(), x, y, reach)
  }

  dispose(): void {
    cancelAnimationFrame(this.frame)
  }
}
