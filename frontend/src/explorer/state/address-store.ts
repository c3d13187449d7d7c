/** The explorer's state as a small store: changes show at once, and each gesture becomes one history entry. */
import { type ExplorerState, parseAddress, writeAddress } from '../logic/address'

export interface AddressHistory {
  /** Query text of the current entry, with or without "?". */
  read(): string
  push(query: string): void
  back(): void
  /** Calls back when the reader moves through the history. */
  listen(listener: () => void): () => void
}

/** A pause this long ends a gesture of many small steps (a slider, typing). */
export const GESTURE_MS = 500

export class AddressStore {
  private state: ExplorerState
  private written: string
  private timer: ReturnType<typeof setTimeout> | null = null
  private readonly listeners = new Set<() => void>()
  private depth = 0

  constructor(private readonly history: AddressHistory) {
    this.state = parseAddress(history.read())
    this.written = writeAddress(this.state)
  }

  readonly get = (): ExplorerState => this.state
  /** How many entries this page has added, as far as Undo may go back. */
  readonly undoable = (): number => this.depth

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Follow the history while the page is mounted; returns the way to stop. */
  readonly attach = (): (() => void) => {
    const stop = this.history.listen(() => {
      const next = parseAddress(this.history.read())
      const text = writeAddress(next)
      if (text === this.written) return
      this.cancel()
      this.depth = Math.max(0, this.depth - 1)
      this.written = text
      this.set(next)
    })
    return () => {
      stop()
      this.flush()
    }
  }

  /** Change the state; `gesture` waits for a pause before it writes the history entry. */
  readonly update = (patch: Partial<ExplorerState>, how: 'now' | 'gesture' = 'now'): void => {
    if (how === 'now') this.flush()
    this.set({ ...this.state, ...patch })
    if (how === 'now') this.flush()
    else {
      this.cancel()
      this.timer = setTimeout(this.flush, GESTURE_MS)
    }
  }

  readonly flush = (): void => {
    this.cancel()
    const text = writeAddress(this.state)
    if (text === this.written) return
    this.written = text
    this.depth += 1
    this.history.push(text)
  }

  readonly undo = (): boolean => {
    this.flush()
    if (this.depth === 0) return false
    this.history.back()
    return true
  }

  private set(next: ExplorerState): void {
    this.state = next
    this.listeners.forEach((listener) => listener())
  }

  private cancel(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
  }
}
