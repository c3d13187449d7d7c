// All pools of the team.
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { usePools, useSession } from '../../api/queries'
import type { Pool } from '../../api/types'
import { canPlan } from '../../app/permissions'
import { useTitle } from '../../app/title'
import { useUpload } from '../../app/useUpload'
import { Button } from '../../components/Button'
import { FileButton } from '../../components/FileButton'
import { DeviceTags } from '../../components/marks'
import { RowMenu } from '../../components/RowMenu'
import { BoneRows, Empty, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'
import { listDevices } from '../home/sample'
import { DeletePoolDialog } from './DeletePoolDialog'
import { MachineCards } from './MachineCard'
import { NewPoolDialog } from './NewPoolDialog'
import { TopologyDialog } from './TopologyDialog'

function Row({ pool, onDelete }: { pool: Pool; onDelete: (() => void) | null }) {
  const t = useT()
  const formats = useFormats()
  const poolName = usePoolName()
  const name = poolName(pool.name, pool.is_sample)
  return (
    <tr>
      <td>
        <Link to="/pools/$id" params={{ id: pool.id }}>
          {name}
        </Link>
        {pool.is_sample && <span className="s3"> {t('common.sample')}</span>}
      </td>
      <td className="tags-cell">
        <DeviceTags devices={pool.devices} most={12} />
      </td>
      <td className="s2">{listDevices(pool.devices, t('list.comma'), t('list.and'))}</td>
      <td className="num">{formats.number(pool.version)}</td>
      <td className="s3 nowrap">{formats.dateTime(pool.created_at)}</td>
      <td className="num">
        <RowMenu
          label={t('pools.actions', { name })}
          links={[
            <a key="toml" href={`/api/pools/${pool.id}/toml/`}>
              {t('pool.export')}
            </a>,
          ]}
          remove={onDelete && { label: t('pool.delete'), onSelect: onDelete }}
        />
      </td>
    </tr>
  )
}

export function PoolsPage() {
  const t = useT()
  const upload = useUpload()
  const navigate = useNavigate()
  const pools = usePools()
  const { data: session } = useSession()
  const { new: making } = useSearch({ from: '/pools' })
  const [doomed, setDoomed] = useState<Pool | null>(null)
  const [reading, setReading] = useState(false)
  useTitle(t('pools.title'))
  const may = canPlan(session)
  const reason = may ? null : t('forbidden.viewer')
  const rows = pools.data?.results
  const open = (shown: boolean) => void navigate({ to: '/pools', search: shown ? { new: true } : {}, replace: !shown })
  const actions = (
    <>
      <FileButton accept=".toml" disabledReason={reason} onFiles={upload}>
        {t('pools.import')}
      </FileButton>
      <Button disabledReason={reason} onClick={() => setReading(true)}>
        {t('topo.import')}
      </Button>
      <Button kind="act" icon="plus" disabledReason={reason} onClick={() => open(true)}>
        {t('pools.new')}
      </Button>
    </>
  )
  return (
    <main className="page" id="main" tabIndex={-1}>
      {rows?.length === 0 ? (
        <Empty title={t('pools.empty.title')} actions={actions}>
          <p>{t('pools.empty.text')}</p>
        </Empty>
      ) : (
        <>
          <div className="pagehead">
            <h1>{t('pools.title')}</h1>
            <div className="r">{actions}</div>
          </div>
          {pools.error && !rows ? (
            <LoadFailed error={pools.error} onRetry={() => void pools.refetch()} />
          ) : (
            <div className="sheet scroll-x">
              <table className="roomy">
                <thead>
                  <tr>
                    <th>{t('pools.name')}</th>
                    <th>{t('pools.tags')}</th>
                    <th>{t('pools.devices')}</th>
                    <th className="num">{t('pools.version')}</th>
                    <th>{t('pools.made')}</th>
                    <th>
                      <span className="sr">{t('common.more')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows ? (
                    rows.map((pool) => <Row key={pool.id} pool={pool} onDelete={may ? () => setDoomed(pool) : null} />)
                  ) : (
                    <BoneRows rows={4} columns={6} />
                  )}
                </tbody>
              </table>
            </div>
          )}
        </>
      )}
      <MachineCards disabledReason={reason} />
      {reading && <TopologyDialog onClose={() => setReading(false)} />}
      {making && may && <NewPoolDialog onClose={() => open(false)} />}
      <DeletePoolDialog pool={doomed} onClose={() => setDoomed(null)} />
    </main>
  )
}
