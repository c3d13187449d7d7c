// One worker that lays out one graph again and again; a layout that nobody wants any more ends with it.
import type { GraphData } from './data'
import type { LayoutAnswer, LayoutRequest } from './layout-messages'
import type { Placed } from './scene'

export class Layouter {
  private worker: Worker | null = null
  private isBusy = false

  constructor(private readonly graph: GraphData) {}

  /** Starts a layout; what runs already is given up. */
  lay(folded: ReadonlySet<number>, done: (placed: Placed) => void, failed: (reason: string) => void): void {
    this.cancel()
    const worker = this.started()
    this.isBusy = true
    worker.onmessage = (event: MessageEvent<LayoutAnswer>) => {
      this.isBusy = false
      if ('placed' in event.data) done(event.data.placed)
      else failed(event.data.failed)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      this.close()
      failed(event.message)
    }
    worker.postMessage({ folded: [...folded] } satisfies LayoutRequest)
  }

  /** Ends the layout that is running, if there is one. */
  cancel(): void {
    if (this.isBusy) this.close()
  }

  close(): void {
    this.worker?.terminate()
    this.worker = null
    this.isBusy = false
  }

  private started(): Worker {
    if (this.worker) return this.worker
    this.worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
    this.worker.postMessage({ graph: this.graph } satisfies LayoutRequest)
    return this.worker
  }
}
