// The heat map of a large pool's links, drawn: 256 devices are 65,280 cells. Keys and pointer choose one.
import { useEffect, useRef, type KeyboardEvent, type PointerEvent } from 'react'

import { mix } from '../../drawing/colours'
import { useSize } from '../../drawing/use-size'
import { useT } from '../../i18n'
import { useTokens } from '../../theme/tokens'
import { bandwidthRange, type LinkMatrixProps } from './LinkMatrix'
import { nextCell, tint } from './matrixKeys'

const WIDEST = 560
const NARROWEST_CELL = 2

/** What serves each ordered pair, by position: the bandwidth, NaN for a link that states none. */
function served({ devices, links }: Pick<LinkMatrixProps, 'devices' | 'links'>): [row: number, column: number, bandwidth: number][] {
  const at = new Map(devices.map((device, index) => [device.name, index]))
  return links.flatMap((link): [number, number, number][] => {
    const [source, target] = [at.get(link.source), at.get(link.target)]
    if (source === undefined || target === undefined) return []
    const bandwidth = link.bandwidth_gb_per_s ?? Number.NaN
    return link.directed ? [[source, target, bandwidth]] : [[source, target, bandwidth], [target, source, bandwidth]]
  })
}

export function LinkCanvas({ devices, links, chosen, onChoose, onEdit }: LinkMatrixProps) {
  const t = useT()
  const tokens = useTokens()
  const [frame, size] = useSize()
  const canvas = useRef<HTMLCanvasElement>(null)
  const n = devices.length
  const side = Math.max(n * NARROWEST_CELL, Math.min(WIDEST, size.width))
  const cell = side / n
  useEffect(() => {
    const target = canvas.current
    const context = target?.getContext('2d')
    if (!target || !context || side === 0) return
    const scale = size.ratio
    target.width = Math.round(side * scale)
    target.height = Math.round(side * scale)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    context.fillStyle = tokens.value('bg-sunk')
    context.fillRect(0, 0, side, side)
    const [low, high] = bandwidthRange(links)
    for (const [row, column, bandwidth] of served({ devices, links })) {
      const strength = Number.isNaN(bandwidth) ? 0 : tint(bandwidth, low, high)
      context.fillStyle = mix(tokens.value('accent-soft'), tokens.value('score-3'), (strength + 15) / 100)
      context.fillRect(column * cell, row * cell, Math.max(1, cell - 0.5), Math.max(1, cell - 0.5))
    }
    context.fillStyle = tokens.value('ink-3')
    for (let index = 0; index < n; index += 1) context.fillRect(index * cell, index * cell, Math.max(1, cell - 0.5), Math.max(1, cell - 0.5))
    if (chosen) {
      context.strokeStyle = tokens.value('ink')
      context.lineWidth = 2
      context.strokeRect(chosen.column * cell - 1, chosen.row * cell - 1, cell + 2, cell + 2)
    }
  }, [devices, links, chosen, side, size.ratio, cell, n, tokens])
  const onKeyDown = (event: KeyboardEvent) => {
    const active = chosen ?? { row: 0, column: 1 }
    const next = event.key === 'Enter' ? active : nextCell(active, event.key, n)
    if (!next) return
    event.preventDefault()
    onChoose(next)
    if (event.key === 'Enter') onEdit()
  }
  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const [row, column] = [Math.floor((event.clientY - box.top) / cell), Math.floor((event.clientX - box.left) / cell)]
    if (row !== column && row >= 0 && column >= 0 && row < n && column < n) onChoose({ row, column })
  }
  return (
    <div className="link-canvas scroll-x" ref={frame}>
      <canvas
        ref={canvas}
        role="application"
        aria-label={t('link.canvas', { n })}
        tabIndex={0}
        style={{ width: side, height: side }}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
      />
    </div>
  )
}
