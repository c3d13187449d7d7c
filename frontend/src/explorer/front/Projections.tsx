/** Lower triangle of a scatter matrix with shared axes; the free corner is the legend. */
import { useDeferredValue, useMemo } from 'react'

import { useT } from '../../i18n'
import { useExplorer, useHovered } from '../state/context'
import { useSize } from '../../drawing/use-size'
import { useTokens } from '../../theme/tokens'
import type { MetricKey } from '../types'
import { rangeAt } from './axes'
import type { Cell } from './cell'
import { Legend } from './Legend'
import { lookOf } from './look'
import { Projection } from './Projection'
import { useRanges } from './use-ranges'

const LEFT = 52
const FOOT = 40
const GAP = 12

export function Projections() {
  const t = useT()
  const { model: newest, state, earlier } = useExplorer()
  // Figures and the 3-D view come first while a slider moves; these follow.
  const model = useDeferredValue(newest)
  const tokens = useTokens()
  const [ref, { width, height }] = useSize()
  const hovered = useHovered()
  const [kx, ky, kz] = model.axes.keys
  const ranges = useRanges(model, [kx, ky, kz].join(), state.fit, 0.04, earlier)
  const look = useMemo(() => lookOf(model, tokens), [model, tokens])
  const cw = (width - LEFT - GAP - 10) / 2
  const ch = (height - FOOT - GAP - 8) / 2
  const right = LEFT + cw + GAP
  const [upper, left, lower] = useMemo(() => {
    const cell = (x: MetricKey, y: MetricKey, from: number, top: number): Cell => ({
      left: from,
      top,
      width: cw,
      height: ch,
      x: rangeAt(ranges, x),
      y: rangeAt(ranges, y),
    })
    const low = 6 + ch + GAP
    return [cell(kx, ky, LEFT, 6), cell(kx, kz, LEFT, low), cell(ky, kz, LEFT + cw + GAP, low)] as const
  }, [kx, ky, kz, ranges, cw, ch])
  return (
    <div className="xp-projections" ref={ref}>
      {cw > 40 && ch > 30 && (
        <svg width={width} height={height} role="group" aria-label={t('explorer.projections')}>
          <Projection model={model} xKey={kx} yKey={ky} cell={upper} look={look} hovered={hovered} labelY />
          <Projection model={model} xKey={kx} yKey={kz} cell={left} look={look} hovered={hovered} labelX labelY />
          <Projection model={model} xKey={ky} yKey={kz} cell={lower} look={look} hovered={hovered} labelX />
          <Legend left={right + 8} top={8} width={Math.min(cw - 12, 200)} height={ch} />
        </svg>
      )}
    </div>
  )
}
