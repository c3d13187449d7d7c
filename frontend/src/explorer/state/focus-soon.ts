/** Focuses an element that a change of state is about to bring: the pane it lies in may take a while to be drawn. */
const LOOK_MS = 40
const LONGEST_MS = 3000

export function focusSoon(id: string, waited = 0): void {
  setTimeout(() => {
    const element = document.getElementById(id)
    if (element) element.focus()
    else if (waited < LONGEST_MS) focusSoon(id, waited + LOOK_MS)
  }, LOOK_MS)
}
