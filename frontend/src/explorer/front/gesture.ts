/** What pointers do on the 3-D scene: a short press is a click, a longer way turns, with Shift it shifts, two fingers zoom. */

interface Place {
  readonly x: number
  readonly y: number
}

export type Motion =
  | { readonly kind: 'turn'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'shift'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'pinch'; readonly dx: number; readonly dy: number; readonly factor: number; readonly at: Place }

/** A press that leaves this many pixels around its start is no click any more, even if it comes back. */
const CLICK_REACH = 5

export class Gesture {
  private readonly pressed = new Map<number, Place>()
  private start: Place | null = null
  private moved = false

  /** Whether the view is being moved. */
  get moving(): boolean {
    return this.moved && this.pressed.size > 0
  }

  down(id: number, at: Place): void {
    if (this.pressed.size === 0) {
      this.start = at
      this.moved = false
    } else this.moved = true
    this.pressed.set(id, at)
  }

  /** What the move asks for; null while it may still be a click, or when nothing is pressed. */
  move(id: number, at: Place, shift: boolean): Motion | null {
    const before = this.pressed.get(id)
    if (!before || !this.start) return null
    if (!this.moved && Math.hypot(at.x - this.start.x, at.y - this.start.y) <= CLICK_REACH) return null
    this.moved = true
    const [dx, dy] = [at.x - before.x, at.y - before.y]
    this.pressed.set(id, at)
    const other = [...this.pressed].find(([pointer]) => pointer !== id)?.[1]
    if (!other) return { kind: shift ? 'shift' : 'turn', dx, dy }
    const apart = Math.hypot(before.x - other.x, before.y - other.y)
    const factor = apart > 0 ? Math.hypot(at.x - other.x, at.y - other.y) / apart : 1
    return { kind: 'pinch', dx: dx / 2, dy: dy / 2, factor, at: { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 } }
  }

  /** Whether this ends a click. */
  up(id: number): boolean {
    if (!this.pressed.delete(id)) return false
    return this.pressed.size === 0 && !this.moved
  }

  /** The browser took the pointer away. */
  cancel(id: number): void {
    this.pressed.delete(id)
    this.moved = true
  }
}
