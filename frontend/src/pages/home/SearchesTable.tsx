// The searches of the team, newest first, with what each found as multiples of its default plan.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useDeleteSearch } from '../../api/mutations'
import { useSearches } from '../../api/queries'
import type { Search } from '../../api/types'
import { preloadSearch } from '../../app/preload'
import { toast } from '../../components/announce'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { Menu, MenuItem } from '../../components/Menu'
import { SearchChip } from '../../components/SearchChip'
import { BoneRows, Empty, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'

const COLUMNS = 10

function Row({ search, onDelete }: { search: Search; onDelete: (() => void) | null }) {
  const t = useT()
  const formats = useFormats()
  const poolName = usePoolName()
  return (
    <tr>
      <td className="num s3">{search.number}</td>
      <td>
        <Link
          to="/searches/$id"
          params={{ id: search.id }}
          aria-label={`${search.model.name}, ${t('search.open', { number: search.number })}`}
          onPointerEnter={preloadSearch}
          onFocus={preloadSearch}
        >
          {search.model.name}
        </Link>
      </td>
      <td>
        <SearchChip search={search} />
      </td>
      <td>
        {search.pool.id === null ? (
          poolName(search.pool.name, search.pool.is_sample)
        ) : (
          <Link className="plain" to="/pools/$id" params={{ id: search.pool.id }}>
            {poolName(search.pool.name, search.pool.is_sample)}
          </Link>
        )}
      </td>
      <td className="num">{formats.number(search.model.n_operators)}</td>
      <td className="num">{search.n_plans > 0 ? formats.number(search.n_plans) : '–'}</td>
      <td className="num">{formats.multiple(search.best?.exec_time_x)}</td>
      <td className="num">{formats.multiple(search.best?.energy_x)}</td>
      <td className="s3 nowrap hide-m">{formats.dateTime(search.created_at)}</td>
      <td className="num">
        {onDelete && (
          <Menu
            trigger={
              <Button kind="quiet" size="s" icon="more" aria-label={t('search.actions', { number: search.number })} />
            }
          >
            <MenuItem icon="trash" bad onSelect={onDelete}>
              {t('search.delete')}
            </MenuItem>
          </Menu>
        )}
      </td>
    </tr>
  )
}

export function SearchesTable({ editable }: { editable: boolean }) {
  const t = useT()
  const searches = useSearches()
  const remove = useDeleteSearch()
  const [doomed, setDoomed] = useState<Search | null>(null)
  const rows = searches.data?.results
  if (searches.error && !rows) return <LoadFailed error={searches.error} onRetry={() => void searches.refetch()} />
  if (rows?.length === 0) {
    return (
      <div className="sheet">
        <Empty inSheet title={t('home.searches.empty')}>
          <p>{t('home.searches.emptyText')}</p>
        </Empty>
      </div>
    )
  }
  const confirm = () => {
    if (!doomed) return
    remove.mutate(doomed.id, {
      onSuccess: () => {
        toast(t('search.deleted', { number: doomed.number }))
        setDoomed(null)
      },
    })
  }
  return (
    <>
      <div className="sheet scroll-x">
        <table className="searches">
          <thead>
            <tr>
              <th className="num">{t('search.number')}</th>
              <th>{t('search.model')}</th>
              <th>{t('search.state')}</th>
              <th>{t('search.pool')}</th>
              <th className="num">{t('search.operators')}</th>
              <th className="num">{t('search.plans')}</th>
              <th className="num">{t('search.fastest')}</th>
              <th className="num">{t('search.leastEnergy')}</th>
              <th className="hide-m">{t('search.started')}</th>
              <th>
                <span className="sr">{t('common.more')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows ? (
              rows.map((search) => (
                <Row key={search.id} search={search} onDelete={editable ? () => setDoomed(search) : null} />
              ))
            ) : (
              <BoneRows rows={3} columns={COLUMNS} />
            )}
          </tbody>
        </table>
      </div>
      <p className="micro s3 caption">{t('home.searches.caption')}</p>
      <ConfirmDialog
        open={doomed !== null}
        title={t('search.delete.ask', { number: doomed?.number ?? 0 })}
        action={t('search.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={confirm}
        onClose={() => setDoomed(null)}
      >
        {t('search.delete.text', { n: doomed?.n_plans ?? 0 })}
      </ConfirmDialog>
    </>
  )
}
