// Hosts as pools, calibrating a whole pool, its versions, and what a change alters.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import { keys } from './queries'
import type { components } from './schema'
import type { Pool, PoolSpec } from './types'

type Schemas = components['schemas']
export type Machine = Schemas['Machine']
export type PoolVersion = Schemas['PoolVersion']
export type PoolChange = Schemas['PoolChange']
export type PoolUses = Schemas['PoolUses']
export type TopologyPool = Schemas['TopologyPool']

const LOOK_MS = 5000
const machinesKey = ['machines'] as const

/** The hosts that answer, as pools. Asked again until one has been probed. */
export function useMachines() {
  return useQuery({
    queryKey: machinesKey,
    queryFn: ({ signal }) => unwrap(api.GET('/api/pools/machines/', { signal })),
    refetchInterval: ({ state }) => (state.data?.length === 0 ? LOOK_MS : false),
  })
}

export function useMachinePool() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (host: string) => unwrap(api.POST('/api/pools/machines/', { body: { host } })),
    onSuccess: (pool) => {
      client.setQueryData(keys.pool(pool.id), pool)
      void client.invalidateQueries({ queryKey: keys.pools, exact: true })
      void client.invalidateQueries({ queryKey: machinesKey })
    },
  })
}

export interface PoolMeasuring {
  models: string[]
  budget_s: number
  count: number
  /** Devices of hosts by the name of the pool's device; left out: as the pool's host has them. */
  devices?: Record<string, string>
}

/** Starts calibrations that the pool's devices use as soon as they are done. */
export function useCalibratePool(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: PoolMeasuring) => unwrap(api.POST('/api/pools/{pool_id}/calibrate/', { params: { path: { pool_id: id } }, body })),
    onSuccess: (pool) => {
      client.setQueryData(keys.pool(id), pool)
      void client.invalidateQueries({ queryKey: ['calibrations'] })
    },
  })
}

export function usePoolVersions(pool: Pool) {
  return useQuery({
    queryKey: ['pool-versions', pool.id, pool.version],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/pools/{pool_id}/versions/', { signal, params: { path: { pool_id: pool.id }, query: { limit: 100 } } })),
  })
}

export function usePoolUses(pool: Pool) {
  return useQuery({
    queryKey: ['pool-uses', pool.id, pool.version],
    queryFn: ({ signal }) => unwrap(api.GET('/api/pools/{pool_id}/uses/', { signal, params: { path: { pool_id: pool.id } } })),
  })
}

/** What differs between two versions, or between the current one and a state that is not saved. */
export function usePoolChanges(pool: Pool, asked: { before: number; after: number } | { spec: PoolSpec } | null) {
  return useQuery({
    queryKey: ['pool-changes', pool.id, pool.version, asked],
    enabled: asked !== null,
    queryFn: ({ signal }) =>
      unwrap(api.POST('/api/pools/{pool_id}/changes/', { signal, params: { path: { pool_id: pool.id } }, body: asked ?? {} })),
    gcTime: 10_000,
    placeholderData: (previous) => previous,
  })
}

/** The specification of a version, to bring it back. */
export function useReadVersion(id: string) {
  return useMutation({
    mutationFn: (number: number) =>
      unwrap(api.GET('/api/pools/{pool_id}/versions/{number}/', { params: { path: { pool_id: id, number } } })),
  })
}

export function useReadTopology() {
  return useMutation({
    mutationFn: (body: { text: string; templates: Record<string, string>; name: string }) => unwrap(api.POST('/api/pools/topology/', { body })),
  })
}
