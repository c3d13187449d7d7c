/** Plans in full: operators, transfers, memory; read once per plan hash, whatever number the plan has now. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'

import { api, unwrap } from '../../api/client'
import type { Plan, PlanDetail } from '../types'
import { useExplorer } from './context'

export interface PlanDetailState {
  /** The plan that was read last; it may be an older one while the next loads. */
  readonly detail: PlanDetail | undefined
  /** True while `detail` is not the plan that was asked for. */
  readonly stale: boolean
  readonly error: unknown
  readonly retry: () => void
}

/** Read `plan` of a search; `keep` shows the last one until the next is there. */
export function useDetailOf(searchId: string, plan: Plan | undefined, keep: boolean): PlanDetailState {
  const query = useQuery({
    queryKey: ['plan', searchId, 'hash', plan?.hash ?? ''],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/searches/{search_id}/plans/{number}/', {
          signal,
          params: { path: { search_id: searchId, number: plan?.number ?? 0 }, query: { hash: plan?.hash ?? '' } },
        }),
      ) as Promise<PlanDetail>,
    enabled: plan !== undefined,
    placeholderData: keep ? keepPreviousData : undefined,
    staleTime: Infinity,
    gcTime: 120_000,
  })
  return {
    detail: query.data,
    stale: query.isPlaceholderData || query.data === undefined,
    error: query.error,
    retry: () => void query.refetch(),
  }
}

const PlanDetailContext = createContext<PlanDetailState | null>(null)

/** Plan A in full, for the card and the work pane. */
export function PlanDetailProvider({ children }: { children: ReactNode }) {
  const { search, model } = useExplorer()
  const state = useDetailOf(search.id, model.plans[model.a], true)
  return <PlanDetailContext value={state}>{children}</PlanDetailContext>
}

export function usePlanDetail(): PlanDetailState {
  const state = useContext(PlanDetailContext)
  if (!state) throw new Error('usePlanDetail outside of its provider')
  return state
}
