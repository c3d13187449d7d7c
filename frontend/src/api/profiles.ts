// Profiles of models (a run of the model itself on a device), as cached queries; those under way are asked for again.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import { isActive } from './hardware'
import { keys as poolKeys } from './queries'
import type { components } from './schema'
import type { Pool } from './types'

export type ModelProfile = components['schemas']['ModelProfile']

const RUNNING_MS = 1000
const key = ['profiles'] as const

/** All of the team; of one model where it is named. */
export function useProfiles(model?: string) {
  return useQuery({
    queryKey: model === undefined ? key : [...key, model],
    queryFn: ({ signal }) =>
      model === undefined
        ? unwrap(api.GET('/api/profiles/', { signal, params: { query: { limit: 200 } } }))
        : unwrap(api.GET('/api/models/{model_id}/profiles/', { signal, params: { path: { model_id: model }, query: { limit: 50 } } })),
    refetchInterval: ({ state }) => (state.data?.results.some(isActive) ? RUNNING_MS : false),
  })
}

function useChange<Asked, Answer>(act: (asked: Asked) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: act, onSettled: () => void client.invalidateQueries({ queryKey: key }) })
}

export function useStartProfile(model: string) {
  return useChange((device: string) =>
    unwrap(api.POST('/api/models/{model_id}/profiles/', { params: { path: { model_id: model } }, body: { device } })),
  )
}

export function useStopProfile() {
  return useChange((id: string) => unwrap(api.POST('/api/profiles/{profile_id}/stop/', { params: { path: { profile_id: id } } })))
}

export function useDeleteProfile() {
  return useChange((id: string) => unwrap(api.DELETE('/api/profiles/{profile_id}/', { params: { path: { profile_id: id } } })))
}

/** Saves which profiles say what operators of their models cost on a pool's devices, as the pool's next version. */
export function useChooseProfiles(pool: Pool) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (profiles: Record<string, string[]>) =>
      unwrap(api.PUT('/api/pools/{pool_id}/', { params: { path: { pool_id: pool.id } }, body: { spec: pool.spec, profiles } })),
    onSuccess: (saved) => {
      client.setQueryData(poolKeys.pool(pool.id), saved)
      void client.invalidateQueries({ queryKey: poolKeys.pools, exact: true })
    },
  })
}
