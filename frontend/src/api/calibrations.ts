// Calibrations of the team, as cached queries; those under way are asked for again.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import { isActive } from './hardware'
import { keys as poolKeys } from './queries'
import type { components } from './schema'
import type { Pool } from './types'

type Schemas = components['schemas']
export type Calibration = Schemas['Calibration']
export type CalibrationDetail = Schemas['CalibrationDetail']
export type Accuracy = Schemas['Accuracy']

const RUNNING_MS = 1000
const key = ['calibrations'] as const

/** Whether it measures, is judged, or is checked now. */
export function isBusy(one: Calibration): boolean {
  return isActive(one) || one.checking
}

export function useCalibrations() {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => unwrap(api.GET('/api/calibrations/', { signal, params: { query: { limit: 200 } } })),
    refetchInterval: ({ state }) => (state.data?.results.some(isBusy) ? RUNNING_MS : false),
  })
}

/** Its figures; asked for again when it has measured, been checked or gone stale. */
export function useCalibration(one: Calibration) {
  const state = `${one.state} ${one.checking} ${one.freshness} ${one.check_result?.at ?? ''}`
  return useQuery({
    queryKey: [...key, one.id, state],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/calibrations/{calibration_id}/', { signal, params: { path: { calibration_id: one.id } } })),
    staleTime: Infinity,
  })
}

export interface Measuring {
  device: string
  models: string[]
  budget_s: number
  count: number
}

function useChange<Asked, Answer>(act: (asked: Asked) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: act, onSettled: () => void client.invalidateQueries({ queryKey: key }) })
}

export function useStartCalibration() {
  return useChange((body: Measuring) => unwrap(api.POST('/api/calibrations/', { body })))
}

export function useStopCalibration() {
  return useChange((id: string) =>
    unwrap(api.POST('/api/calibrations/{calibration_id}/stop/', { params: { path: { calibration_id: id } } })),
  )
}

export function useRecheck() {
  return useChange((id: string) =>
    unwrap(api.POST('/api/calibrations/{calibration_id}/recheck/', { params: { path: { calibration_id: id } } })),
  )
}

export function useDeleteCalibration() {
  return useChange((id: string) =>
    unwrap(api.DELETE('/api/calibrations/{calibration_id}/', { params: { path: { calibration_id: id } } })),
  )
}

export function useUploadCalibration() {
  return useChange((file: File) => {
    const form = new FormData()
    form.append('file', file)
    return unwrap(api.POST('/api/calibrations/upload/', { body: { file: '' }, bodySerializer: () => form }))
  })
}

/** Saves which calibration says what a pool's devices cost, as the pool's next version. */
export function useChooseCalibrations(pool: Pool) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (calibrations: Record<string, string>) =>
      unwrap(api.PUT('/api/pools/{pool_id}/', { params: { path: { pool_id: pool.id } }, body: { spec: pool.spec, calibrations } })),
    onSuccess: (saved) => {
      client.setQueryData(poolKeys.pool(pool.id), saved)
      void client.invalidateQueries({ queryKey: poolKeys.pools, exact: true })
    },
  })
}
