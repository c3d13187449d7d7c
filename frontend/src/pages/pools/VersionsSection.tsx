// The versions of a pool: who saved which when, what each changed, which searches ran on it, and bringing one back.
import { Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'

import { usePoolChanges, usePoolUses, usePoolVersions, useReadVersion, type PoolVersion } from '../../api/machines'
import type { Pool, PoolSpec } from '../../api/types'
import { toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Icon } from '../../components/icons'
import { BoneRows, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { ChangeTable } from './ChangeTable'

function Changes({ pool, before, after }: { pool: Pool; before: number; after: number }) {
  const t = useT()
  const { data, error } = usePoolChanges(pool, { before, after })
  if (error) return <ErrorBanner error={error} />
  if (!data) return null
  return data.changes.length > 0 ? <ChangeTable changes={data.changes} total={data.n_changes} /> : <p className="small s2 pad">{t('change.none')}</p>
}

export interface VersionsSectionProps {
  pool: Pool
  readOnly: boolean
  onRestore: (spec: PoolSpec) => void
}

export function VersionsSection({ pool, readOnly, onRestore }: VersionsSectionProps) {
  const t = useT()
  const formats = useFormats()
  const versions = usePoolVersions(pool)
  const uses = usePoolUses(pool)
  const read = useReadVersion(pool.id)
  const [open, setOpen] = useState<number | null>(null)
  const counts = new Map((uses.data?.versions ?? []).map((row) => [row.version, row.n_searches]))
  const stale = (uses.data?.searches ?? []).filter((search) => search.stale)
  const restore = (row: PoolVersion) =>
    read.mutate(row.number, {
      onSuccess: (spec) => {
        onRestore(spec)
        toast(t('version.restored', { n: row.number }))
      },
    })
  return (
    <section className="sheet mt" aria-labelledby="versions-title">
      <div className="head cal-head">
        <h2 id="versions-title">{t('version.title')}</h2>
        <span className="small s3">{t('version.intro')}</span>
      </div>
      {stale.length > 0 && (
        <p className="small pad warn-text">
          {t('version.stale', {
            n: stale.length,
            list: stale
              .slice(0, 5)
              .map((one) => t('version.search', { number: one.number, model: one.model, version: one.version }))
              .join(t('list.comma')),
          })}{' '}
          {stale[0] && (
            <Link to="/searches/$id" params={{ id: stale[0].id }}>
              {t('search.open', { number: stale[0].number })}
            </Link>
          )}
        </p>
      )}
      {read.error && <ErrorBanner error={read.error} />}
      {versions.error && !versions.data ? (
        <LoadFailed error={versions.error} onRetry={() => void versions.refetch()} />
      ) : (
        <div className="scroll-x">
          <table className="roomy">
            <thead>
              <tr>
                <th>{t('version.number')}</th>
                <th>{t('version.when')}</th>
                <th>{t('version.who')}</th>
                <th className="num">{t('pools.devices')}</th>
                <th className="num">{t('version.calibrated')}</th>
                <th className="num">{t('version.searches')}</th>
                <th>
                  <span className="sr">{t('common.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {versions.data?.results.map((row) => {
                const shown = open === row.number
                return (
                  <Fragment key={row.number}>
                    <tr className={shown ? 'opened' : undefined}>
                      <td>
                        {row.number > 1 ? (
                          <button
                            type="button"
                            className="disclose"
                            aria-expanded={shown}
                            title={t('version.compare')}
                            onClick={() => setOpen(shown ? null : row.number)}
                          >
                            <Icon name={shown ? 'chevron' : 'right'} />
                            {formats.number(row.number)}
                          </button>
                        ) : (
                          <span className="no-disclose">{formats.number(row.number)}</span>
                        )}
                        {row.number === pool.version && <span className="s3 small"> {t('version.current')}</span>}
                      </td>
                      <td className="s2 nowrap">{formats.dateTime(row.created_at)}</td>
                      <td className="s2">{row.created_by?.name ?? '–'}</td>
                      <td className="num">{formats.number(row.n_devices)}</td>
                      <td className="num">{t('version.nCalibrated', { n: Object.keys(row.calibrations).length, all: row.n_devices })}</td>
                      <td className="num">{formats.number(counts.get(row.number) ?? 0)}</td>
                      <td className="num">
                        {!readOnly && row.number !== pool.version && (
                          <Button kind="quiet" size="s" busy={read.isPending && read.variables === row.number} onClick={() => restore(row)}>
                            {t('version.restore')}
                          </Button>
                        )}
                      </td>
                    </tr>
                    {shown && (
                      <tr className="opened-form">
                        <td colSpan={7}>
                          <h3 className="small">{t('version.compareWith', { after: row.number, before: row.number - 1 })}</h3>
                          <Changes pool={pool} before={row.number - 1} after={row.number} />
                        </td>
                      </tr>
                    )}
                  </Fragment>
                )
              }) ?? <BoneRows rows={1} columns={7} />}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
