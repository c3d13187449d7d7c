// What counts as a click on a drawing that can also be dragged.

/** A click is a pointer that went up within this many pixels of where it went down. */
const CLICK_REACH = 5

export function isClick(down: { x: number; y: number } | null, up: { x: number; y: number }): boolean {
  return down !== null && Math.hypot(up.x - down.x, up.y - down.y) <= CLICK_REACH
}
