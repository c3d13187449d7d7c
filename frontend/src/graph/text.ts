// Texts that fit into a width: cut with an ellipsis, each measured once per font.

const widths = new Map<string, number>()
const MOST_KEPT = 20_000

export function textWidth(g: CanvasRenderingContext2D, text: string): number {
  const key = `${g.font}\n${text}`
  let width = widths.get(key)
  if (width === undefined) {
    if (widths.size > MOST_KEPT) widths.clear()
    width = g.measureText(text).width
    widths.set(key, width)
  }
  return width
}

/** `text` in at most `room` pixels; what does not fit is cut at the end, or at the start. */
export function fitText(g: CanvasRenderingContext2D, text: string, room: number, cut: 'end' | 'start' = 'end'): string {
  const width = textWidth(g, text)
  if (width <= room) return text
  const letters = Array.from(text)
  let keep = Math.floor((letters.length * room) / width)
  while (keep > 0) {
    const shown = cut === 'end' ? `${letters.slice(0, keep).join('')}…` : `…${letters.slice(-keep).join('')}`
    if (textWidth(g, shown) <= room) return shown
    keep -= 1
  }
  return ''
}
