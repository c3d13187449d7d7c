// A virtual table of any length whose rows the server searches and pages; pages load as they come into view.
import { useQueries, type UseQueryOptions } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useRef, useState, type ReactNode } from 'react'

import type { GraphPageKey } from '../../api/queries'
import { LoadFailed } from '../../components/states'

const ROW_HEIGHT = 26
const OVERSCAN = 12

export interface Page<T> {
  count: number
  results: T[]
}

export interface PagedColumn {
  label: ReactNode
  num?: boolean
}

export interface PagedTableProps<T> {
  title: string
  /** What stands in the head before the search field. */
  tools: ReactNode
  find: string
  className: string
  columns: readonly PagedColumn[]
  /** How many rows there are without a search. */
  count: number
  perPage: number
  page: (offset: number, q: string) => UseQueryOptions<Page<T>, Error, Page<T>, GraphPageKey>
  found: (count: number) => string
  none: (q: string) => string
  /** The row's cells, for the grid of `className`; what else the row shows follows from `below`. */
  cells: (row: T) => ReactNode
  /** Shown under an opened row, over all columns. */
  below?: (row: T) => ReactNode
  onRowClick?: (row: T) => void
  /** Position of the selected row without a search; it comes into view when it changes. */
  selected?: number | null
  isSelected?: (row: T) => boolean
}

export function PagedTable<T>(props: PagedTableProps<T>) {
  const { title, columns, count, perPage, className, below, onRowClick } = props
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const scroller = useRef<HTMLDivElement>(null)
  const [found, setFound] = useState<{ q: string; count: number } | null>(null)
  const total = q === '' ? count : found?.q === q ? found.count : Math.min(count, perPage)
  // eslint-disable-next-line react-hooks/incompatible-library -- the list is small enough to render every time
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  })
  const selected = props.selected ?? -1
  useEffect(() => {
    if (selected >= 0 && q === '') virtual.scrollToIndex(selected, { align: 'auto' })
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only a new selection scrolls, not a new search or render
  }, [selected])
  const items = virtual.getVirtualItems()
  const firstPage = Math.floor((items[0]?.index ?? 0) / perPage)
  const lastPage = Math.floor((items.at(-1)?.index ?? 0) / perPage)
  const offsets = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => (firstPage + index) * perPage)
  const pages = useQueries({ queries: offsets.map((offset) => props.page(offset, q)) })
  const loaded = pages.find((page) => page.data)?.data
  if (q !== '' && loaded && (found?.q !== q || found.count !== loaded.count)) setFound({ q, count: loaded.count })
  const failed = pages.find((page) => page.error)
  const rowAt = (index: number) => {
    const page = Math.floor(index / perPage)
    return pages[page - firstPage]?.data?.results[index - page * perPage]
  }
  return (
    <>
      <div className="head">
        {props.tools}
        <span className="small s3" role="status">
          {q !== '' && loaded ? props.found(loaded.count) : ''}
        </span>
        <input
          className="in find"
          type="search"
          placeholder={props.find}
          aria-label={props.find}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {failed?.error && <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />}
      {loaded?.count === 0 ? (
        <p className="empty-line">{props.none(q)}</p>
      ) : (
        <div className={`grid-scroll ${className}`} ref={scroller} tabIndex={0} role="table" aria-rowcount={total + 1} aria-label={title}>
          <div role="rowgroup" className="grid-heads">
            <div role="row" className="grid-row grid-head">
              {columns.map((column, index) => (
                <span key={index} role="columnheader" className={column.num ? 'num' : undefined}>
                  {column.label}
                </span>
              ))}
            </div>
          </div>
          <div style={{ height: virtual.getTotalSize() }} className="grid-rows" role="rowgroup">
            {items.map((item) => {
              const row = rowAt(item.index)
              const opened = row && below?.(row)
              return (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  role="presentation"
                  className="grid-item"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <div
                    role="row"
                    aria-rowindex={item.index + 2}
                    aria-current={row && props.isSelected?.(row) ? true : undefined}
                    className={`grid-row${onRowClick ? ' opens' : ''}${opened ? ' opened' : ''}`}
                    onClick={row && onRowClick ? () => onRowClick(row) : undefined}
                  >
                    {row ? props.cells(row) : <span className="bone" style={{ width: '40%' }} />}
                  </div>
                  {opened && (
                    <div role="row" className="grid-below">
                      <div role="cell" aria-colspan={columns.length}>
                        {opened}
                      </div>
                    </div>
                  )}
                </div>
              )
            })}
          </div>
        </div>
      )}
    </>
  )
}
