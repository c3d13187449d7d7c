// The address of a pool.
import { useParams } from '@tanstack/react-router'

import { usePool } from '../../api/queries'
import { useTitle } from '../../app/title'
import { PageFailed } from '../Faults'
import { PoolPage } from './PoolPage'

export function PoolRoute() {
  const { id } = useParams({ from: '/pools/$id' })
  const pool = usePool(id)
  useTitle(pool.data?.name)
  if (pool.error && !pool.data) return <PageFailed error={pool.error} onRetry={() => void pool.refetch()} />
  if (!pool.data) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />
  return <PoolPage key={pool.data.id} pool={pool.data} />
}
