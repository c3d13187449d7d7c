/** A table of any length: only the rows in view exist; arrows, Page, Home and End move, Enter picks. */
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'

import { Icon } from '../../components/icons'
import { useSize } from '../../drawing/use-size'

export interface Column<T> {
  readonly key: string
  readonly head: ReactNode
  readonly cell: (row: T, index: number) => ReactNode
  readonly num?: boolean
  /** Takes the free width and cuts its text. */
  readonly wide?: boolean
  /** Label of the sort button; without it the column cannot be sorted. */
  readonly sortLabel?: string
}

export interface Sorting {
  readonly key: string
  readonly down: boolean
}

interface Props<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly rowKey: (row: T) => string | number
  /** Position of the selected row, scrolled into view when it changes; -1 for none. */
  readonly selected: number
  readonly marked?: number
  readonly onPick: (row: T, index: number, event: MouseEvent | KeyboardEvent) => void
  readonly onHover?: (index: number) => void
  readonly sorting?: Sorting
  readonly onSort?: (sorting: Sorting) => void
  readonly empty?: ReactNode
  readonly hint?: string
}

const SPARE = 8

function rowHeight(element: Element | null): number {
  const text = element ? getComputedStyle(element).getPropertyValue('--h-row') : ''
  return Number.parseFloat(text) || 26
}

export function VirtualTable<T>(props: Props<T>) {
  const { label, rows, columns, rowKey, selected, marked = -1, onPick, onHover, sorting, onSort, empty, hint } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [sizeRef, size] = useSize()
  const [top, setTop] = useState(0)
  const [active, setActive] = useState(-1)
  const [height, setHeight] = useState(26)
  const cursor = Math.min(rows.length - 1, active >= 0 ? active : Math.max(0, selected))

  const reveal = (index: number, centre: boolean) => {
    const element = box.current
    if (!element || index < 0) return
    const h = rowHeight(element)
    const from = index * h
    const room = element.clientHeight - 2 * h
    const above = from < element.scrollTop
    if (!above && from <= element.scrollTop + room) return
    element.scrollTop = centre ? from - room / 2 : above ? from : from - room
  }
  useEffect(() => reveal(selected, true), [selected, rows, size.height])

  const first = Math.max(0, Math.floor(top / height) - SPARE)
  const last = Math.min(rows.length, Math.ceil((top + (size.height || 400)) / height) + SPARE)

  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement) return
    const page = Math.max(1, Math.floor(size.height / height) - 2)
    const moves: Record<string, number> = {
      ArrowDown: cursor + 1,
      ArrowUp: cursor - 1,
      PageDown: cursor + page,
      PageUp: cursor - page,
      Home: 0,
      End: rows.length - 1,
    }
    const to = moves[event.key]
    if (to !== undefined) {
      const next = Math.min(rows.length - 1, Math.max(0, to))
      setActive(next)
      onHover?.(next)
      reveal(next, false)
      event.preventDefault()
    } else if (event.key === 'Enter' || event.key === ' ') {
      const row = rows[cursor]
      if (row !== undefined) onPick(row, cursor, event)
      event.preventDefault()
    }
  }

  return (
    <div
      ref={(element) => {
        box.current = element
        sizeRef(element)
        if (element) setHeight(rowHeight(element))
      }}
      className="xp-table"
      tabIndex={0}
      role="grid"
      aria-label={label}
      aria-description={hint}
      aria-rowcount={rows.length + 1}
      aria-activedescendant={cursor >= first && cursor < last ? `${id}-${cursor}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={key}
      onPointerLeave={() => onHover?.(-1)}
      onBlur={() => onHover?.(-1)}
    >
      <table role="presentation">
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1}>
            {columns.map((column) => {
              const on = sorting?.key === column.key
              return (
                <th
                  key={column.key}
                  role="columnheader"
                  className={column.num ? 'num' : undefined}
                  aria-sort={on ? (sorting.down ? 'descending' : 'ascending') : undefined}
                >
                  {column.sortLabel && onSort ? (
                    <button
                      type="button"
                      className="xp-sort"
                      data-on={on || undefined}
                      data-down={(on && sorting.down) || undefined}
                      aria-label={column.sortLabel}
                      onClick={() => onSort({ key: column.key, down: on ? !sorting.down : false })}
                    >
                      {column.head}
                      <Icon name="chevron" size={10} />
                    </button>
                  ) : (
                    column.head
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {first > 0 && <tr aria-hidden="true" style={{ height: first * height }} />}
          {rows.slice(first, last).map((row, k) => {
            const index = first + k
            return (
              <tr
                key={rowKey(row)}
                id={`${id}-${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={index === selected}
                className={index === cursor && active >= 0 ? 'xp-cursor' : index === marked ? 'xp-hovered' : undefined}
                onClick={(event) => {
                  setActive(index)
                  onPick(row, index, event)
                }}
                onPointerEnter={onHover && (() => onHover(index))}
              >
                {columns.map((column) => (
                  <td
                    key={column.key}
                    role="gridcell"
                    className={column.num ? 'num' : column.wide ? 'xp-wide' : 'nowrap'}
                  >
                    {column.cell(row, index)}
                  </td>
                ))}
              </tr>
            )
          })}
          {last < rows.length && <tr aria-hidden="true" style={{ height: (rows.length - last) * height }} />}
        </tbody>
      </table>
      {rows.length === 0 && empty && <p className="xp-table-empty s3">{empty}</p>}
    </div>
  )
}
