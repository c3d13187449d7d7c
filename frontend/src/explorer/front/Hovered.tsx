/** The parts of the front that follow the pointer; they alone are rendered when it moves. */
import { useHovered } from '../state/context'
import type { Mark } from './dots'

/** A ring around the plan under the pointer. */
export function HoverRing({ positions }: { positions: readonly (Mark | null)[] }) {
  const over = positions[useHovered()]
  return over ? <circle className="xp-ring" cx={over.x} cy={over.y} r={6} /> : null
}

/** The line of the plan under the pointer. */
export function HoverLine({ line }: { line: (index: number) => string }) {
  const hovered = useHovered()
  return hovered < 0 ? null : <path className="xp-line-hover" d={line(hovered)} />
}
