// Formats of a plan, its exports, and links to their archives.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import type { components } from './schema'

type Schemas = components['schemas']
export type ExportFormats = Schemas['ExportFormats']
export type ExportFormat = Schemas['ExportFormat']
export type PlanExport = Schemas['PlanExport']
export type ExportLink = Schemas['ExportLink']

/** A plan by its number now, or wherever the one with `hash` is. */
export interface PlanPlace {
  search: string
  number: number
  hash: string | undefined
}

const ASK_AGAIN_MS = 400
const LIST_LIMIT = 50

const at = ({ search, number, hash }: PlanPlace) => ({
  path: { search_id: search, number },
  query: hash === undefined ? {} : { hash },
})
const listKey = ({ search, number, hash }: PlanPlace) => ['exports', search, number, hash ?? null] as const

export function isUnderWay(one: { state: string }): boolean {
  return one.state === 'queued' || one.state === 'running' || one.state === 'waiting'
}

export function usePlanFormats(place: PlanPlace) {
  return useQuery({
    queryKey: ['formats', place.search, place.number, place.hash ?? null],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/searches/{search_id}/plans/{number}/formats/', { signal, params: at(place) })),
  })
}

export function useExports(place: PlanPlace) {
  return useQuery({
    queryKey: listKey(place),
    queryFn: ({ signal }) => {
      const params = at(place)
      const query = { ...params.query, limit: LIST_LIMIT }
      return unwrap(api.GET('/api/searches/{search_id}/plans/{number}/exports/', { signal, params: { ...params, query } }))
    },
    refetchInterval: ({ state }) => (state.data?.results.some(isUnderWay) ? ASK_AGAIN_MS : false),
  })
}

export function useStartExport(place: PlanPlace) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { format: string; options: Record<string, string> }) =>
      unwrap(api.POST('/api/searches/{search_id}/plans/{number}/exports/', { params: at(place), body })),
    onSuccess: () => client.invalidateQueries({ queryKey: listKey(place) }),
  })
}

export function useDeleteExport(place: PlanPlace) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/exports/{export_id}/', { params: { path: { export_id: id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: listKey(place) }),
  })
}

export function useExportLink() {
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.POST('/api/exports/{export_id}/link/', { params: { path: { export_id: id } } })),
  })
}
