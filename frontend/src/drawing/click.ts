// What counts as a click on a drawing that can also be dragged.

interface Place {
  readonly x: number
  readonly y: number
}

/** A click is a pointer that went up within this many pixels of where it went down. */
const CLICK_REACH = 5

export function isClick(down: Place | null, up: Place): boolean {
  return down !== null && Math.hypot(up.x - down.x, up.y - down.y) <= CLICK_REACH
}

/** One press on a drawing that turns with the pointer: once it has left the place where it began, it is a drag, even if it comes back. */
export class Press {
  private start: Place | null = null

  down(at: Place): void {
    this.start = at
  }

  move(at: Place): void {
    if (!isClick(this.start, at)) this.start = null
  }

  /** Whether this ends a click. */
  up(at: Place): boolean {
    const clicked = isClick(this.start, at)
    this.start = null
    return clicked
  }
}
