// Hosts, their devices, operator maps and precision runs, as cached queries; what is under way is asked for again.
import { queryOptions, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type Host = Schemas['Host']
export type HostRuntime = Schemas['HostRuntime']
export type HostDevice = Schemas['HostDevice']
export type DeviceState = Schemas['HostDeviceState']
export type FingerprintChange = Schemas['FingerprintChange']
export type OperatorMap = Schemas['OperatorMap']
export type OperatorMapDetail = Schemas['OperatorMapDetail']
export type OperatorSupport = Schemas['OperatorSupport']
export type OperatorStatus = Schemas['OperatorStatus']
export type PrecisionRun = Schemas['PrecisionRun']
export type PrecisionRunDetail = Schemas['PrecisionRunDetail']

const LOOK_MS = 2000
const RUNNING_MS = 1000

const keys = {
  hosts: ['hosts'] as const,
  fingerprint: (digest: string) => ['fingerprints', digest] as const,
  maps: ['operator-maps'] as const,
  map: (id: string, state: string) => ['operator-maps', id, state] as const,
  runs: ['precision-runs'] as const,
  run: (id: string, state: string) => ['precision-runs', id, state] as const,
}

/** Whether a run is still to come to an end. */
export function isActive(run: { state: string }): boolean {
  return run.state === 'queued' || run.state === 'running' || run.state === 'waiting'
}

/** Every host; asked for every two seconds while the page is in front, as runtimes come and go by themselves. */
export function useHosts() {
  return useQuery({
    queryKey: keys.hosts,
    queryFn: ({ signal }) => unwrap(api.GET('/api/hosts/', { signal })),
    // Asking again by itself where nothing was read yet would take the error off the page each time.
    refetchInterval: ({ state }) => (state.data ? LOOK_MS : false),
  })
}

export function useFingerprint(digest: string) {
  return useQuery({
    queryKey: keys.fingerprint(digest),
    queryFn: ({ signal }) => unwrap(api.GET('/api/fingerprints/{digest}/', { signal, params: { path: { digest } } })),
    staleTime: Infinity,
  })
}

export function useCordon(device: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { cordoned: boolean; note: string }) =>
      unwrap(api.POST('/api/devices/{device_id}/cordon/', { params: { path: { device_id: device } }, body })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.hosts }),
  })
}

export function useForgetHost() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/hosts/{host_id}/', { params: { path: { host_id: id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.hosts }),
  })
}

/** The newest map of each device, and those under way. */
export function useOperatorMaps() {
  return useQuery({
    queryKey: keys.maps,
    queryFn: ({ signal }) => unwrap(api.GET('/api/operator-maps/', { signal })),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? RUNNING_MS : LOOK_MS * 5),
  })
}

/** The rows of maps; a finished one never changes. */
export function useMapDetails(maps: readonly OperatorMap[]) {
  return useQueries({
    queries: maps.map((map) =>
      queryOptions({
        queryKey: keys.map(map.id, map.state),
        queryFn: ({ signal }) =>
          unwrap(api.GET('/api/operator-maps/{map_id}/', { signal, params: { path: { map_id: map.id } } })),
        staleTime: Infinity,
      }),
    ),
  })
}

/** Reads one map when somebody asks for it. */
export function useReadMap() {
  return useMutation({
    mutationFn: (id: string) => unwrap(api.GET('/api/operator-maps/{map_id}/', { params: { path: { map_id: id } } })),
  })
}

export function useStartMap() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (device: string) => unwrap(api.POST('/api/operator-maps/', { body: { device } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.maps }),
  })
}

export function useStopMap() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/operator-maps/{map_id}/stop/', { params: { path: { map_id: id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.maps }),
  })
}

export function usePrecisionRuns() {
  return useQuery({
    queryKey: keys.runs,
    queryFn: ({ signal }) => unwrap(api.GET('/api/precision-runs/', { signal, params: { query: { limit: 100 } } })),
    refetchInterval: ({ state }) => (state.data?.results.some(isActive) ? RUNNING_MS : LOOK_MS * 5),
  })
}

export function usePrecisionRun(run: PrecisionRun | undefined) {
  return useQuery({
    enabled: run !== undefined,
    queryKey: keys.run(run?.id ?? '', run?.state ?? ''),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/precision-runs/{run_id}/', { signal, params: { path: { run_id: run?.id ?? '' } } })),
    staleTime: Infinity,
  })
}

export interface Comparison {
  left: string
  left_precision: string
  right: string
  right_precision: string
  /** A model, or what needs none. */
  what: { kind: 'operators' | 'loss' } | { model: string }
}

export function useStartComparison() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ what, ...sides }: Comparison) => {
      const body = { ...sides, seed: 0 }
      return 'kind' in what
        ? unwrap(api.POST('/api/precision-runs/', { body: { ...body, kind: what.kind } }))
        : unwrap(api.POST('/api/models/{model_id}/precision-runs/', { params: { path: { model_id: what.model } }, body }))
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.runs }),
  })
}

export function useStopComparison() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/precision-runs/{run_id}/stop/', { params: { path: { run_id: id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.runs }),
  })
}
