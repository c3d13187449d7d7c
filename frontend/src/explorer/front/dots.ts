/** Many marks as few SVG paths: one path per colour, drawn worst first, so that 2,000 plans stay cheap. */

export interface Mark {
  readonly x: number
  readonly y: number
}

export interface Bucket {
  readonly colour: string
  readonly d: string
}

const STEPS = 24

/** A dot as a zero-length stroke; give the path a round line cap and a width of twice the radius. */
export function dot({ x, y }: Mark): string {
  return `M${x.toFixed(1)} ${y.toFixed(1)}h0`
}

/** A closed circle, for rings and for dots of different sizes. */
export function circle({ x, y }: Mark, radius: number): string {
  const r = radius.toFixed(1)
  return `M${(x - radius).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${(2 * radius).toFixed(1)} 0a${r} ${r} 0 1 0 ${(-2 * radius).toFixed(1)} 0z`
}

export function polyline(points: readonly Mark[]): string {
  return points.map((p, i) => `${i ? 'L' : 'M'}${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('')
}

/**
 * Join the pieces of `order` (best first) into at most STEPS paths of neighbouring ranks, worst first.
 * `colour` gives the colour of a plan, `piece` its path data, or null to leave it out.
 */
export function buckets(
  order: readonly number[],
  colour: (index: number) => string,
  piece: (index: number) => string | null,
): Bucket[] {
  const size = Math.max(1, Math.ceil(order.length / STEPS))
  const made: Bucket[] = []
  for (let from = 0; from < order.length; from += size) {
    const part = order.slice(from, from + size)
    const head = part[Math.floor(part.length / 2)]
    const d = part.map((i) => piece(i) ?? '').join('')
    if (head !== undefined && d) made.push({ colour: colour(head), d })
  }
  return made.reverse()
}
