// What the pages change on the server; each one refreshes the lists that it touches.
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from './client'
import { keys } from './queries'
import type { Given, PoolSpec, SearchSettings } from './types'

/** How a model is read: sizes of its dimensions, what its file leaves open, and a name to keep the reading under. */
export interface Reading {
  dims: Record<string, number>
  given?: Given
  keep_as?: string
}

export interface NewSearch {
  model: string
  pool?: string
  settings: SearchSettings
  binding?: string
  /** An earlier search of the same model, whose front is the start. */
  warm_start?: string
}

export function useStartSearch() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewSearch) => unwrap(api.POST('/api/searches/', { body })),
    onSuccess: (search) => {
      client.setQueryData(keys.search(search.id), search)
      void client.invalidateQueries({ queryKey: keys.searches })
    },
  })
}

export function useStartSample() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/searches/sample/')),
    onSuccess: (search) => {
      client.setQueryData(keys.search(search.id), search)
      void client.invalidateQueries({ queryKey: keys.searches })
    },
  })
}

export function useStopSearch(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/searches/{search_id}/stop/', { params: { path: { search_id: id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.search(id) }),
  })
}

export function useDeleteSearch() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/searches/{search_id}/', { params: { path: { search_id: id } } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.searches }),
  })
}

export function useBindDims(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Reading) =>
      unwrap(api.POST('/api/models/{model_id}/bind/', { params: { path: { model_id: id } }, body })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.models }),
  })
}

export function useKeepBinding(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) =>
      unwrap(api.POST('/api/models/{model_id}/bindings/', { params: { path: { model_id: id } }, body: { name } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.models }),
  })
}

export function useChooseBinding(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (binding: string) =>
      unwrap(
        api.POST('/api/models/{model_id}/bindings/{binding_id}/', {
          params: { path: { model_id: id, binding_id: binding } },
        }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.models }),
  })
}

export function useDeleteBinding(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (binding: string) =>
      unwrap(
        api.DELETE('/api/models/{model_id}/bindings/{binding_id}/', {
          params: { path: { model_id: id, binding_id: binding } },
        }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.models }),
  })
}

export function useRenameModel(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) =>
      unwrap(api.PATCH('/api/models/{model_id}/', { params: { path: { model_id: id } }, body: { name } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.models }),
  })
}

export function useDeleteModel() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/models/{model_id}/', { params: { path: { model_id: id } } })),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.model(id) })
      void client.invalidateQueries({ queryKey: keys.models, exact: true })
    },
  })
}

export function useCreatePool() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (spec: PoolSpec) => unwrap(api.POST('/api/pools/', { body: { spec } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.pools }),
  })
}

export function useSavePool(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (spec: PoolSpec) =>
      unwrap(api.PUT('/api/pools/{pool_id}/', { params: { path: { pool_id: id } }, body: { spec } })),
    onSuccess: (pool) => {
      client.setQueryData(keys.pool(id), pool)
      void client.invalidateQueries({ queryKey: keys.pools, exact: true })
    },
  })
}

export function useDeletePool() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE('/api/pools/{pool_id}/', { params: { path: { pool_id: id } } })),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.pool(id) })
      void client.invalidateQueries({ queryKey: keys.pools, exact: true })
    },
  })
}

/** Checks a pool without saving it; the answer names every wrong field. */
export function checkPool(spec: PoolSpec, signal: AbortSignal) {
  return unwrap(api.POST('/api/pools/validate/', { body: { spec }, signal }))
}
