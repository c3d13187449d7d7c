// What the pages read from the server, as cached queries with fixed keys.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'

import { graphData } from '../graph/data'
import { askAhead, endAhead, takeAhead } from './ahead'
import { api, setCsrfToken, unwrap } from './client'
import type { Front } from './types'

/** Key of a page of a graph's operators or edges. */
export type GraphPageKey = readonly [kind: string, id: string, graph: string, offset: number, q: string]

const AWAITED_MS = 1500

export const keys = {
  session: ['session'] as const,
  templates: ['templates'] as const,
  models: ['models'] as const,
  model: (id: string) => ['models', id] as const,
  versions: (id: string) => ['models', id, 'versions'] as const,
  uses: (id: string) => ['models', id, 'uses'] as const,
  operators: (id: string, graph: string, offset: number, q: string): GraphPageKey => ['operators', id, graph, offset, q],
  edges: (id: string, graph: string, offset: number, q: string): GraphPageKey => ['edges', id, graph, offset, q],
  graph: (id: string, graph: string) => ['graph', id, graph] as const,
  pools: ['pools'] as const,
  pool: (id: string) => ['pools', id] as const,
  searches: ['searches'] as const,
  search: (id: string) => ['search', id] as const,
  front: (id: string) => ['front', id] as const,
}

export const OPERATORS_PER_PAGE = 500
export const EDGES_PER_PAGE = 500
const LIST_LIMIT = 100

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ signal }) => {
    const session = await unwrap(api.GET('/api/session/', { signal }))
    setCsrfToken(session.csrf_token)
    endAhead()
    return session
  },
  staleTime: Infinity,
})

export function useSession() {
  return useQuery(sessionQuery)
}

export function useTemplates() {
  return useQuery({
    queryKey: keys.templates,
    queryFn: ({ signal }) => unwrap(api.GET('/api/templates/', { signal })),
    staleTime: Infinity,
  })
}

export function useModels() {
  return useQuery({
    queryKey: keys.models,
    queryFn: ({ signal }) => unwrap(api.GET('/api/models/', { signal, params: { query: { limit: LIST_LIMIT } } })),
    refetchInterval: ({ state }) => (state.data?.results.some((model) => model.state === 'parsing') ? 1000 : false),
  })
}

export function useModel(id: string) {
  return useQuery({
    queryKey: keys.model(id),
    queryFn: ({ signal }) => unwrap(api.GET('/api/models/{model_id}/', { signal, params: { path: { model_id: id } } })),
    refetchInterval: ({ state }) => (state.data?.state === 'parsing' ? 500 : false),
  })
}

/** Uploads of the same name or content, newest first. */
export function useModelVersions(id: string) {
  return useQuery({
    queryKey: keys.versions(id),
    queryFn: ({ signal }) => unwrap(api.GET('/api/models/{model_id}/versions/', { signal, params: { path: { model_id: id } } })),
  })
}

/** The searches that used a model, and the placements that they found. */
export function useModelUses(id: string) {
  return useQuery({
    queryKey: keys.uses(id),
    queryFn: ({ signal }) => unwrap(api.GET('/api/models/{model_id}/uses/', { signal, params: { path: { model_id: id } } })),
    staleTime: 0,
  })
}

/** One page of the operators of a model's graph (by its hash); `q` filters by name or type on the server. */
export function operatorsQuery(id: string, graph: string, offset: number, q: string) {
  return queryOptions({
    queryKey: keys.operators(id, graph, offset, q),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/models/{model_id}/operators/', {
          signal,
          params: { path: { model_id: id }, query: { offset, limit: OPERATORS_PER_PAGE, q } },
        }),
      ),
    staleTime: Infinity,
  })
}

/** One page of the edges of a model's graph (by its hash); `q` filters by operator or tensor on the server. */
export function edgesQuery(id: string, graph: string, offset: number, q: string) {
  return queryOptions({
    queryKey: keys.edges(id, graph, offset, q),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/models/{model_id}/edges/', {
          signal,
          params: { path: { model_id: id }, query: { offset, limit: EDGES_PER_PAGE, q } },
        }),
      ),
    staleTime: Infinity,
  })
}

/** The whole graph of a model (by its hash) as columns. */
export function useModelGraph(id: string, graph: string) {
  return useQuery({
    queryKey: keys.graph(id, graph),
    queryFn: async ({ signal }) =>
      graphData(await unwrap(api.GET('/api/models/{model_id}/graph/', { signal, params: { path: { model_id: id } } }))),
    staleTime: Infinity,
    structuralSharing: false,
  })
}

export function usePools() {
  return useQuery({
    queryKey: keys.pools,
    queryFn: ({ signal }) => unwrap(api.GET('/api/pools/', { signal, params: { query: { limit: LIST_LIMIT } } })),
  })
}

export function usePool(id: string) {
  return useQuery({
    queryKey: keys.pool(id),
    queryFn: ({ signal }) => unwrap(api.GET('/api/pools/{pool_id}/', { signal, params: { path: { pool_id: id } } })),
    // Its devices take the calibrations that are under way as soon as those are done.
    refetchInterval: ({ state }) => (Object.keys(state.data?.awaited ?? {}).length > 0 ? AWAITED_MS : false),
  })
}

/** What a search may be about. */
export function useObjectives() {
  return useQuery({
    queryKey: ['objectives'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/objectives/', { signal })),
    staleTime: Infinity,
  })
}

export function useSearches() {
  return useQuery({
    queryKey: keys.searches,
    queryFn: ({ signal }) => unwrap(api.GET('/api/searches/', { signal, params: { query: { limit: LIST_LIMIT } } })),
    refetchInterval: ({ state }) =>
      state.data?.results.some((search) => search.state === 'queued' || search.state === 'running') ? 2000 : false,
  })
}

function readSearch(id: string, signal?: AbortSignal) {
  return unwrap(api.GET('/api/searches/{search_id}/', { params: { path: { search_id: id } }, ...(signal && { signal }) }))
}

function readFront(id: string, signal?: AbortSignal) {
  return unwrap(
    api.GET('/api/searches/{search_id}/front/', { params: { path: { search_id: id } }, ...(signal && { signal }) }),
  ) as Promise<Front>
}

/** While the document opens: ask for a search and its front at once, before the page that reads the one after the other is there. */
export function askSearchAhead(id: string): void {
  askAhead(`search ${id}`, () => readSearch(id))
  askAhead(`front ${id}`, () => readFront(id))
}

export function useSearch(id: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: keys.search(id),
    queryFn: ({ signal }) => takeAhead(`search ${id}`, () => readSearch(id, signal)),
  })
}

/** The front as of `revision` (the search's `front_revision`); the last one stays while the next loads. */
export function useFront(id: string, revision: number | undefined) {
  return useQuery({
    queryKey: [...keys.front(id), revision],
    queryFn: ({ signal }) => takeAhead(`front ${id}`, () => readFront(id, signal), (front) => front.revision >= (revision ?? 0)),
    enabled: revision !== undefined && revision > 0,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 30_000,
  })
}
