/** Plans in full: operators, transfers, memory; read once per plan hash, whatever number the plan has now. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useMemo } from 'react'

import { api, unwrap } from '../../api/client'
import { failureOf } from '../../api/failure'
import type { Plan, PlanDetail } from '../types'
import { useExplorer } from './context'
import { useThrottled } from './throttle'

export interface PlanDetailState {
  /** The plan that was read last; it may be an older one while the next loads. */
  readonly detail: PlanDetail | undefined
  /** True while `detail` is not the plan that was asked for. */
  readonly stale: boolean
  /** Why it was not read; null while nothing has failed. Another try may be under way. */
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
  const { refetch } = query
  const retry = useCallback(() => void refetch(), [refetch])
  return { detail: query.data, stale: query.isPlaceholderData || query.data === undefined, error: failureOf(query), retry }
}

const PlanDetailContext = createContext<PlanDetailState | null>(null)

/** A slider passes many plans: one is read at most this often, the last one always. */
const READ_INTERVAL_MS = 150

/** Plan A in full, for the card and the work pane. */
export function PlanDetailProvider({ children }: { children: ReactNode }) {
  const { search, model } = useExplorer()
  const plan = model.plans[model.a]
  const asked = useThrottled(plan, READ_INTERVAL_MS)
  const read = useDetailOf(search.id, asked, true)
  // What was read last is not plan A while plan A waits for its turn.
  const stale = read.stale || asked?.hash !== plan?.hash
  const { detail, error, retry } = read
  const state = useMemo(() => ({ detail, stale, error, retry }), [detail, stale, error, retry])
  return <PlanDetailContext value={state}>{children}</PlanDetailContext>
}

export function usePlanDetail(): PlanDetailState {
  const state = useContext(PlanDetailContext)
  if (!state) throw new Error('usePlanDetail outside of its provider')
  return state
}
