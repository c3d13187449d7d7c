/** Lower triangle of a scatter matrix with shared axes; the free corner is the legend. */
import { useMemo } from 'react'

import { useT } from '../../i18n'
import { useExplorer, useHovered } from '../state/context'
import { useSize } from '../state/use-size'
import type { ObjectiveKey } from '../types'
import { frontRanges } from './axes'
import type { Cell } from './cell'
import { Legend } from './Legend'
import { Projection } from './Projection'

const LEFT = 52
const FOOT = 40
const GAP = 12

export function Projections() {
  const t = useT()
  const { model, state } = useExplorer()
  const [ref, { width, height }] = useSize()
  const hovered = useHovered()
  const ranges = useMemo(() => frontRanges(model, state.fit, 0.04), [model, state.fit])
  const cw = (width - LEFT - GAP - 10) / 2
  const ch = (height - FOOT - GAP - 8) / 2
  const cell = (x: ObjectiveKey, y: ObjectiveKey, left: number, top: number): Cell => ({
    left,
    top,
    width: cw,
    height: ch,
    x: ranges[x],
    y: ranges[y],
  })
  const low = 6 + ch + GAP
  const right = LEFT + cw + GAP
  return (
    <div className="xp-projections" ref={ref}>
      {cw > 40 && ch > 30 && (
        <svg width={width} height={height} role="group" aria-label={t('explorer.projections')}>
          <Projection xKey="exec_time_ms" yKey="energy_j" cell={cell('exec_time_ms', 'energy_j', LEFT, 6)} hovered={hovered} labelY />
          <Projection xKey="exec_time_ms" yKey="load_balance" cell={cell('exec_time_ms', 'load_balance', LEFT, low)} hovered={hovered} labelX labelY />
          <Projection xKey="energy_j" yKey="load_balance" cell={cell('energy_j', 'load_balance', right, low)} hovered={hovered} labelX />
          <Legend left={right + 8} top={8} width={Math.min(cw - 12, 200)} height={ch} />
        </svg>
      )}
    </div>
  )
}
