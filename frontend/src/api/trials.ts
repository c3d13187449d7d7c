// Trial runs of a plan: its segments run for real on a host, as cached queries; those under way are asked for again.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import type { PlanPlace } from './exports'
import { isActive } from './hardware'
import type { components } from './schema'

type Schemas = components['schemas']
export type PlanTrial = Schemas['PlanTrial']
export type TrialResult = Schemas['TrialResult']
export type TrialSegment = Schemas['TrialSegment']

const ASK_AGAIN_MS = 500
const LIST_LIMIT = 20
const key = ['trials'] as const

const at = ({ search, number, hash }: PlanPlace) => ({
  path: { search_id: search, number },
  query: hash === undefined ? {} : { hash },
})

export function useTrials(place: PlanPlace) {
  return useQuery({
    queryKey: [...key, place.search, place.number, place.hash ?? null],
    queryFn: ({ signal }) => {
      const params = at(place)
      const query = { ...params.query, limit: LIST_LIMIT }
      return unwrap(api.GET('/api/searches/{search_id}/plans/{number}/trials/', { signal, params: { ...params, query } }))
    },
    refetchInterval: ({ state }) => (state.data?.results.some(isActive) ? ASK_AGAIN_MS : false),
  })
}

function useChange<Asked, Answer>(act: (asked: Asked) => Promise<Answer>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: act, onSettled: () => void client.invalidateQueries({ queryKey: key }) })
}

export function useStartTrial(place: PlanPlace) {
  return useChange((devices: Record<string, string>) =>
    unwrap(
      api.POST('/api/searches/{search_id}/plans/{number}/trials/', { params: at(place), body: { host: null, devices } }),
    ),
  )
}

export function useStopTrial() {
  return useChange((id: string) => unwrap(api.POST('/api/trials/{trial_id}/stop/', { params: { path: { trial_id: id } } })))
}

export function useDeleteTrial() {
  return useChange((id: string) => unwrap(api.DELETE('/api/trials/{trial_id}/', { params: { path: { trial_id: id } } })))
}

export function useTakeBackTrial() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/trials/{trial_id}/profiles/', { params: { path: { trial_id: id } } })),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: key })
      void client.invalidateQueries({ queryKey: ['profiles'] })
    },
  })
}
