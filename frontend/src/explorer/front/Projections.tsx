/** Lower triangle of a scatter matrix with shared axes; the free corner is the legend. */
import { useCallback, useMemo, useState } from 'react'

import { useSize } from '../../drawing/use-size'
import { useT } from '../../i18n'
import { useTokens } from '../../theme/tokens'
import { columnOf, type Table } from '../logic/measures'
import { scaleOf, type Scales } from '../logic/scales'
import { useAfterPaint } from '../state/after-paint'
import { useExplorer } from '../state/context'
import type { MetricKey } from '../types'
import { rangeAt, type Ranges, within } from './axes'
import { type Cell, cellX, cellY, paintRules } from './cell'
import { DotRaster } from './dot-raster'
import { type Mark, paintDots, paintRings, rasterDots } from './dots'
import { Layer } from './Layer'
import { Legend } from './Legend'
import { lookOf } from './look'
import { Projection } from './Projection'
import { useRanges } from './use-ranges'

const LEFT = 52
const FOOT = 40
const GAP = 12
const TOP = 6
/** Of usual marks, in pixels. */
const DOTS = { radius: 3, outRadius: 2 }

interface Panel {
  readonly x: MetricKey
  readonly y: MetricKey
  readonly cell: Cell
}

/** The upper left, lower left and lower right panel of a box. */
function panelsOf(keys: readonly [MetricKey, MetricKey, MetricKey], ranges: Ranges, width: number, height: number): Panel[] {
  const [kx, ky, kz] = keys
  const panel = (x: MetricKey, y: MetricKey, left: number, top: number): Panel => ({
    x,
    y,
    cell: { left, top, width, height, x: rangeAt(ranges, x), y: rangeAt(ranges, y) },
  })
  const low = TOP + height + GAP
  return [panel(kx, ky, LEFT, TOP), panel(kx, kz, LEFT, low), panel(ky, kz, LEFT + width + GAP, low)]
}

/** Pixels of the plans of `table`, null outside of the axes. */
function positionsOf(table: Table, scales: Scales, { x, y, cell }: Panel): (Mark | null)[] {
  const ys = columnOf(table, y)
  const [fx, fy] = [scaleOf(scales, x).factor, scaleOf(scales, y).factor]
  return columnOf(table, x).map((value, i) => {
    const [px, py] = [value * fx, (ys[i] ?? Number.NaN) * fy]
    return within(cell.x, px) && within(cell.y, py) ? { x: cellX(cell, px), y: cellY(cell, py) } : null
  })
}

export function Projections() {
  const t = useT()
  const { model: newest, state, earlier } = useExplorer()
  // Figures and the 3-D view come first while a slider moves; these follow.
  const model = useAfterPaint(newest)
  const tokens = useTokens()
  const [ref, { width, height, ratio }] = useSize()
  const [raster] = useState(() => new DotRaster())
  const { table, scales } = model
  const [kx, ky, kz] = model.axes.keys
  const ranges = useRanges(model, [kx, ky, kz].join(), state.fit, 0.04, earlier)
  const look = useMemo(() => lookOf(model, tokens), [model, tokens])
  const cw = (width - LEFT - GAP - 10) / 2
  const ch = (height - FOOT - GAP - 8) / 2
  const right = LEFT + cw + GAP
  const panels = useMemo(() => panelsOf([kx, ky, kz], ranges, cw, ch), [kx, ky, kz, ranges, cw, ch])
  const positions = useMemo(() => panels.map((panel) => positionsOf(table, scales, panel)), [panels, table, scales])
  const ghosts = useMemo(() => (earlier ? panels.map((panel) => positionsOf(earlier.table, scales, panel)) : []), [earlier, panels, scales])
  const sized = model.axes.size !== null
  const draw = useCallback(
    (g: CanvasRenderingContext2D, dots: number) => {
      for (const { cell } of panels) paintRules(g, cell, tokens.value('line-soft'))
      for (const rings of ghosts) paintRings(g, rings, tokens.value('line-control'))
      const style = { ...DOTS, outColour: tokens.value('score-out'), edge: sized ? tokens.value('bg') : null }
      if (!rasterDots(g, raster, dots, positions, look, style)) for (const panel of positions) paintDots(g, panel, look, style)
    },
    [panels, ghosts, positions, look, sized, tokens, raster],
  )
  return (
    <div className="xp-projections" ref={ref}>
      {cw > 40 && ch > 30 && (
        <div className="xp-layers">
          <Layer width={width} height={height} ratio={ratio} draw={draw} plans={table.count} earlier={earlier?.table.count ?? 0} />
          <svg width={width} height={height} role="group" aria-label={t('explorer.projections')}>
            {panels.map(({ x, y, cell }, i) => (
              <Projection
                key={i}
                model={model}
                xKey={x}
                yKey={y}
                cell={cell}
                positions={positions[i] ?? []}
                labelX={i > 0}
                labelY={i < 2}
              />
            ))}
            <Legend left={right + 8} top={8} width={Math.min(cw - 12, 200)} height={ch} />
          </svg>
        </div>
      )}
    </div>
  )
}
