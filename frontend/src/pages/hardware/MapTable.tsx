// Every operator of the standard, what each mapped device does with it, and why; filtered by name and status.
import { useDeferredValue, useMemo, useState } from 'react'

import type { OperatorMapDetail, OperatorStatus, OperatorSupport } from '../../api/hardware'
import { Empty } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { filterRows, mapRows, STATUSES, type MapRow } from './mapRows'

function Cell({ cell }: { cell: OperatorSupport | null }) {
  const t = useT()
  if (!cell) return <td className="s3">–</td>
  const tests = cell.passed + cell.failed + cell.wrong
  return (
    <td>
      <span className={`op-mark op-${cell.status}`}>{t(`operators.status.${cell.status}`)}</span>
      {tests > 0 && (
        <span className="small s3 nowrap">
          {' '}
          {cell.passed}/{tests}
        </span>
      )}
    </td>
  )
}

function Detail({ row, maps }: { row: MapRow; maps: readonly OperatorMapDetail[] }) {
  const t = useT()
  const lang = useLang()
  return (
    <dl className="op-detail small">
      {row.cells.map((cell, column) => {
        const map = maps[column]
        if (!cell || !map) return null
        const { code, says, case: shown } = cell.reason
        return (
          <div key={map.id}>
            <dt>
              {map.runtime} {map.device}
            </dt>
            <dd>
              {t('operators.tests', { passed: cell.passed, wrong: cell.wrong, failed: cell.failed, skipped: cell.skipped })}
              {cell.types.length > 0 && <span className="s3"> {cell.types.join(' ').toLowerCase()}</span>}
              {code !== '' && (
                <p>
                  {translateCode('operators.reason', code, {}, translateCode('error', code, { says, path: '', runtime: map.runtime, exit: '', timeout_s: '' }, says || code, lang), lang)}
                  {says && !(translateCode('error', code, { says }, '', lang).includes(says)) && <span className="s2"> {says}</span>}
                  {shown && <span className="mono s3"> {shown}</span>}
                </p>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

export function MapTable({ maps }: { maps: readonly OperatorMapDetail[] }) {
  const t = useT()
  const formats = useFormats()
  const [typed, setTyped] = useState('')
  const [status, setStatus] = useState<OperatorStatus | ''>('')
  const [differing, setDiffering] = useState(false)
  const [open, setOpen] = useState<string | null>(null)
  const name = useDeferredValue(typed)
  const rows = useMemo(() => mapRows(maps), [maps])
  const shown = useMemo(() => filterRows(rows, { name, status, differing }), [rows, name, status, differing])
  return (
    <section className="sheet" aria-labelledby="map-title">
      <div className="head op-head">
        <h2 id="map-title">{t('operators.all')}</h2>
        <span className="small s3">{t('operators.shown', { n: shown.length, total: rows.length })}</span>
        <span className="grow" />
        {maps.length > 1 && (
          <label className="check">
            <input type="checkbox" checked={differing} onChange={(event) => setDiffering(event.target.checked)} />
            <span>{t('operators.differing')}</span>
          </label>
        )}
        <select className="in op-status" aria-label={t('operators.filter')} value={status} onChange={(event) => setStatus(event.target.value as OperatorStatus | '')}>
          <option value="">{t('operators.anyStatus')}</option>
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {t(`operators.status.${one}`)}
            </option>
          ))}
        </select>
        <input className="in find" type="search" placeholder={t('operators.find')} aria-label={t('operators.find')} value={typed} onChange={(event) => setTyped(event.target.value)} />
      </div>
      {shown.length === 0 ? (
        <Empty inSheet title={t('operators.noMatch')} />
      ) : (
        <div className="scroll-x op-scroll">
          <table className="op-table">
            <thead>
              <tr>
                <th>{t('operators.operator')}</th>
                <th className="num">{t('operators.since')}</th>
                {maps.map((map) => (
                  <th key={map.id}>
                    {map.runtime} {map.device}
                    {map.precision && map.precision !== 'model' && ` ${map.precision}`}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => {
                const opened = open === row.name
                return [
                  <tr key={row.name} className={opened ? 'opened' : undefined}>
                    <td>
                      <button type="button" className="disclose" aria-expanded={opened} onClick={() => setOpen(opened ? null : row.name)}>
                        {row.name}
                      </button>
                    </td>
                    <td className="num s3">{formats.number(row.since)}</td>
                    {row.cells.map((cell, column) => (
                      <Cell key={maps[column]?.id ?? column} cell={cell} />
                    ))}
                  </tr>,
                  opened && (
                    <tr key={`${row.name} detail`} className="opened-form">
                      <td colSpan={2 + maps.length}>
                        <Detail row={row} maps={maps} />
                      </td>
                    </tr>
                  ),
                ]
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
