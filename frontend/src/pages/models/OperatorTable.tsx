// Every operator of a model in a virtual table; the server searches, pages load as they come into view.
import { useQueries } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useRef, useState } from 'react'

import { OPERATORS_PER_PAGE, operatorsQuery } from '../../api/queries'
import type { OperatorRow } from '../../api/types'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { BYTES_PER_KB, FLOP_PER_MFLOP } from '../../format/units'
import { translateCode, useLang, useT } from '../../i18n'

const ROW_HEIGHT = 26
const OVERSCAN = 12

function Cells({ row }: { row: OperatorRow | undefined }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  if (!row) return <span className="bone" style={{ width: '40%' }} />
  return (
    <>
      <span role="cell" className="num s3">
        {row.index + 1}
      </span>
      <span role="cell" className="cut" title={row.name}>
        {row.name}
      </span>
      <span role="cell" className="cut s2">
        {row.op_type}
      </span>
      <span role="cell" className="num">
        {row.is_view ? '' : formats.least(row.flops / FLOP_PER_MFLOP, 1)}
      </span>
      <span role="cell" className="num">
        {row.is_view ? '' : formats.least(row.bytes_read / BYTES_PER_KB, 0)}
      </span>
      <span role="cell" className="num">
        {row.is_view ? '' : formats.least(row.bytes_written / BYTES_PER_KB, 0)}
      </span>
      <span role="cell" className="s2">
        {row.precision}
      </span>
      <span role="cell" className="s3">
        {row.is_view ? t('model.view') : translateCode('model.source', row.flops_source, {}, row.flops_source, lang)}
      </span>
    </>
  )
}

export function OperatorTable({ modelId, graph, count }: { modelId: string; graph: string; count: number }) {
  const t = useT()
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const scroller = useRef<HTMLDivElement>(null)
  const [found, setFound] = useState<{ q: string; count: number } | null>(null)
  const total = q === '' ? count : found?.q === q ? found.count : Math.min(count, OPERATORS_PER_PAGE)
  // eslint-disable-next-line react-hooks/incompatible-library -- the list is small enough to render every time
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  })
  const items = virtual.getVirtualItems()
  const firstPage = Math.floor((items[0]?.index ?? 0) / OPERATORS_PER_PAGE)
  const lastPage = Math.floor((items.at(-1)?.index ?? 0) / OPERATORS_PER_PAGE)
  const offsets = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => (firstPage + index) * OPERATORS_PER_PAGE)
  const pages = useQueries({ queries: offsets.map((offset) => operatorsQuery(modelId, graph, offset, q)) })
  const loaded = pages.find((page) => page.data)?.data
  if (q !== '' && loaded && (found?.q !== q || found.count !== loaded.count)) setFound({ q, count: loaded.count })
  const failed = pages.find((page) => page.error)
  const rowAt = (index: number) => {
    const page = Math.floor(index / OPERATORS_PER_PAGE)
    return pages[page - firstPage]?.data?.results[index - page * OPERATORS_PER_PAGE]
  }
  return (
    <section className="sheet mt operators" aria-labelledby="operators-title">
      <div className="head">
        <h2 id="operators-title">{t('model.operators')}</h2>
        <span className="small s3">{q !== '' && loaded ? t('model.find.count', { n: total }) : ''}</span>
        <input
          className="in find"
          type="search"
          placeholder={t('model.find')}
          aria-label={t('model.find')}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {failed?.error && <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />}
      {q !== '' && loaded?.count === 0 ? (
        <p className="empty-line">{t('model.find.none', { q })}</p>
      ) : (
        <div className="grid-scroll" ref={scroller} tabIndex={0} role="table" aria-rowcount={total + 1} aria-labelledby="operators-title">
          <div role="row" className="grid-row grid-head">
            <span role="columnheader" className="num">
              #
            </span>
            <span role="columnheader">{t('model.col.name')}</span>
            <span role="columnheader">{t('model.col.type')}</span>
            <span role="columnheader" className="num">
              {t('model.col.compute')}
            </span>
            <span role="columnheader" className="num">
              {t('model.col.read')}
            </span>
            <span role="columnheader" className="num">
              {t('model.col.written')}
            </span>
            <span role="columnheader">{t('model.col.precision')}</span>
            <span role="columnheader">{t('model.col.source')}</span>
          </div>
          <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="rowgroup">
            {items.map((item) => (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                className="grid-row"
                style={{ position: 'absolute', top: 0, left: 0, right: 0, transform: `translateY(${item.start}px)` }}
              >
                <Cells row={rowAt(item.index)} />
              </div>
            ))}
          </div>
        </div>
      )}
    </section>
  )
}
