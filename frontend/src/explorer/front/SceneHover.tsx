/** In the 3-D view: a ring around the plan under the pointer of any view, and its tooltip while the pointer is in this one. */
import { useHovered } from '../state/context'
import { PlanTip } from './PlanTip'
import type { Pixel } from './project'

interface Props {
  /** Null for a plan that is not in view. */
  readonly pixelOf: (index: number) => Pixel | null
  readonly tipped: boolean
  readonly width: number
}

export function SceneHover({ pixelOf, tipped, width }: Props) {
  const hovered = useHovered()
  const at = hovered < 0 ? null : pixelOf(hovered)
  if (!at) return null
  return (
    <>
      <span className="xp-scene-ring" style={{ left: at.x, top: at.y }} />
      {tipped && <PlanTip index={hovered} x={at.x} y={at.y} width={width} />}
    </>
  )
}
