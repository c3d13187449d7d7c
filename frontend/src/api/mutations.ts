// What the pages change on the server; each one refreshes the lists that it touches.
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { request } from './client'
import { keys } from './queries'
import type { Model, Pool, PoolSpec, Search, SearchSettings } from './types'

export interface NewSearch {
  model: string
  pool?: string
  settings: SearchSettings
}

export function useStartSearch() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewSearch) => request<Search>('POST', '/api/searches/', { body }),
    onSuccess: (search) => {
      client.setQueryData(keys.search(search.id), search)
      void client.invalidateQueries({ queryKey: keys.searches })
    },
  })
}

export function useStartSample() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => request<Search>('POST', '/api/searches/sample/', { body: {} }),
    onSuccess: (search) => {
      client.setQueryData(keys.search(search.id), search)
      void client.invalidateQueries({ queryKey: keys.searches })
    },
  })
}

export function useStopSearch(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => request<Search | undefined>('POST', `/api/searches/${id}/stop/`, { body: {} }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.search(id) }),
  })
}

export function useDeleteSearch() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => request<undefined>('DELETE', `/api/searches/${id}/`),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.searches }),
  })
}

export function useBindDims(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (dims: Record<string, number>) => request<Model>('POST', `/api/models/${id}/bind/`, { body: { dims } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.models }),
  })
}

export function useRenameModel(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => request<Model>('PATCH', `/api/models/${id}/`, { body: { name } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.models }),
  })
}

export function useDeleteModel() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => request<undefined>('DELETE', `/api/models/${id}/`),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.model(id) })
      void client.invalidateQueries({ queryKey: keys.models, exact: true })
    },
  })
}

export function useCreatePool() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (spec: PoolSpec) => request<Pool>('POST', '/api/pools/', { body: { name: spec.name, spec } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.pools }),
  })
}

export function useSavePool(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (spec: PoolSpec) => request<Pool>('PUT', `/api/pools/${id}/`, { body: { name: spec.name, spec } }),
    onSuccess: (pool) => {
      client.setQueryData(keys.pool(id), pool)
      void client.invalidateQueries({ queryKey: keys.pools, exact: true })
    },
  })
}

export function useImportPool() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (toml: string) => request<Pool>('POST', '/api/pools/import/', { body: { toml } }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.pools }),
  })
}

export function useDeletePool() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => request<undefined>('DELETE', `/api/pools/${id}/`),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.pool(id) })
      void client.invalidateQueries({ queryKey: keys.pools, exact: true })
    },
  })
}
