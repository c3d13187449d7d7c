// Links as a heat map: the row sends, the column receives; deeper tint means more bandwidth. One stop for Tab, arrows inside.
import { useRef, type KeyboardEvent } from 'react'

import type { DeviceRef, LinkSpec } from '../../api/types'
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { findLink } from './draft'
import { nextCell, tint, type Cell } from './matrixKeys'

export interface LinkMatrixProps {
  devices: readonly DeviceRef[]
  links: readonly LinkSpec[]
  chosen: Cell | null
  onChoose: (cell: Cell) => void
  /** Enter on a cell. */
  onEdit: () => void
}

/** The least and greatest bandwidth that links state. */
export function bandwidthRange(links: readonly LinkSpec[]): [low: number, high: number] {
  const known = links.map((link) => link.bandwidth_gb_per_s ?? 0).filter((value) => value > 0)
  return [Math.min(...known), Math.max(...known)]
}

export function LinkMatrix({ devices, links, chosen, onChoose, onEdit }: LinkMatrixProps) {
  const t = useT()
  const formats = useFormats()
  const table = useRef<HTMLTableElement>(null)
  const [low, high] = bandwidthRange(links)
  const active = chosen ?? { row: 0, column: 1 }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      onChoose(active)
      onEdit()
      return
    }
    const next = nextCell(active, event.key, devices.length)
    if (!next) return
    event.preventDefault()
    onChoose(next)
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.row} ${next.column}"]`)?.focus()
  }
  const cell = (from: DeviceRef, row: number, to: DeviceRef, column: number) => {
    if (row === column) return <td key={to.name} className="self" aria-label={t('pool.link.same')} />
    const link = findLink(links, from.name, to.name)?.link
    const bandwidth = link?.bandwidth_gb_per_s
    const strength = bandwidth && bandwidth > 0 ? tint(bandwidth, low, high) : 0
    const parts = [`${from.name} → ${to.name}`, link?.link_class, link?.channel ? t('link.shares', { channel: link.channel }) : null]
    return (
      <td key={to.name}>
        <button
          type="button"
          className={link ? 'cell' : 'cell off'}
          data-cell={`${row} ${column}`}
          data-shared={link?.channel ? true : undefined}
          tabIndex={row === active.row && column === active.column ? 0 : -1}
          aria-pressed={chosen !== null && row === chosen.row && column === chosen.column}
          style={link ? { background: `color-mix(in oklab, var(--score-3) ${strength}%, var(--accent-soft))` } : undefined}
          title={parts.filter(Boolean).join(', ')}
          onClick={() => onChoose({ row, column })}
        >
          {link ? (
            <>
              <b>{bandwidth === undefined ? link.link_class : formats.figure(bandwidth)}</b>
              <span>{link.latency_us === undefined ? t('pool.link.default') : `${formats.figure(link.latency_us)} µs`}</span>
            </>
          ) : (
            t('pool.link.viaHost')
          )}
        </button>
      </td>
    )
  }
  return (
    <div className="scroll-x">
      <table className="heat" ref={table} onKeyDown={onKeyDown}>
        <caption className="sr">{t('pool.link.matrix')}</caption>
        <thead>
          <tr>
            <td />
            {devices.map((device) => (
              <th key={device.name} scope="col">
                <DeviceTag device={device} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {devices.map((from, row) => (
            <tr key={from.name}>
              <th scope="row">
                <DeviceTag device={from} />
              </th>
              {devices.map((to, column) => cell(from, row, to, column))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
