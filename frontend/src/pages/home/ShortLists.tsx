// The newest models and pools, a line each.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import { useModels, usePools } from '../../api/queries'
import type { Model } from '../../api/types'
import { DeviceTags } from '../../components/marks'
import { ModelChip } from '../../components/ModelChip'
import { BoneRows, LoadFailed } from '../../components/states'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'

const SHOWN = 8

interface ListProps {
  title: string
  all: { to: '/models' | '/pools'; label: string }
  query: { data: { count: number } | undefined; error: unknown; refetch: () => unknown }
  empty: string
  children: ReactNode
}

function List({ title, all, query, empty, children }: ListProps) {
  return (
    <section>
      <div className="head bare">
        <h2>{title}</h2>
        {query.data && query.data.count > SHOWN && (
          <Link className="r small s2" to={all.to}>
            {all.label}
          </Link>
        )}
      </div>
      {query.error && !query.data ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <div className="sheet scroll-x">
          {query.data?.count === 0 ? (
            <p className="empty-line">{empty}</p>
          ) : (
            <table>
              <tbody>{query.data ? children : <BoneRows rows={4} columns={2} />}</tbody>
            </table>
          )}
        </div>
      )}
    </section>
  )
}

function ModelFigures({ model }: { model: Model }) {
  const t = useT()
  if (model.state !== 'ready' || !model.summary) return <ModelChip state={model.state} />
  return <>{t('model.nOperators', { n: model.summary.n_operators })}</>
}

export function ShortLists() {
  const t = useT()
  const models = useModels()
  const pools = usePools()
  const poolName = usePoolName()
  return (
    <div className="cols two mt-l">
      <List
        title={t('home.models')}
        all={{ to: '/models', label: t('home.models.all') }}
        query={models}
        empty={t('home.models.empty')}
      >
        {models.data?.results.slice(0, SHOWN).map((model) => (
          <tr key={model.id}>
            <td className="cut">
              <Link to="/models/$id" params={{ id: model.id }}>
                {model.name}
              </Link>
            </td>
            <td className="num s2">
              <ModelFigures model={model} />
            </td>
          </tr>
        ))}
      </List>
      <List
        title={t('home.pools')}
        all={{ to: '/pools', label: t('home.pools.all') }}
        query={pools}
        empty={t('home.pools.empty')}
      >
        {pools.data?.results.slice(0, SHOWN).map((pool) => (
          <tr key={pool.id}>
            <td className="cut">
              <Link to="/pools/$id" params={{ id: pool.id }}>
                {poolName(pool.name, pool.is_sample)}
              </Link>
            </td>
            <td className="tags-right">
              <DeviceTags devices={pool.devices} most={12} />
            </td>
          </tr>
        ))}
      </List>
    </div>
  )
}
