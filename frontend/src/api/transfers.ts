// What copies between two ends of a pool were measured to take.
import { useQuery } from '@tanstack/react-query'

import { api, unwrap } from './client'
import type { components } from './schema'

export type PairTransfer = components['schemas']['PairTransfer']

/** Empty where neither was measured; ``version``: that of the pool, whose calibrations are read. */
export function usePairTransfers(pool: string, version: number, source: string, target: string) {
  return useQuery({
    queryKey: ['pool-transfers', pool, version, source, target],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/pools/{pool_id}/transfers/', { params: { path: { pool_id: pool }, query: { source, target } }, signal })),
  })
}
