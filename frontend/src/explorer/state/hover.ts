/** The plan under the pointer, shared by all views without re-rendering the page. */
export class HoverStore {
  private index = -1
  private readonly listeners = new Set<() => void>()

  readonly get = (): number => this.index

  readonly set = (index: number): void => {
    if (index === this.index) return
    this.index = index
    this.listeners.forEach((listener) => listener())
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
