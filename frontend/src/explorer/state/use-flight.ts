/** Items in flight through plan A: read once a plan, while the timeline shows them. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { api, unwrap } from '../../api/client'
import { failureOf } from '../../api/failure'
import type { PlanDetail } from '../types'
import { type Flight, flightOf, isPipelined } from '../work/in-flight'
import { useExplorer } from './context'

export interface FlightState {
  /** Whether the timeline shows them, or will once they are there. */
  readonly wanted: boolean
  readonly flight: Flight | null
  readonly error: unknown
  readonly retry: () => void
}

/** `tried`: the plan that is shown is not stored, so that the server cannot run items through it. */
export function useFlight(detail: PlanDetail, tried: boolean): FlightState {
  const { search, model, state } = useExplorer()
  const { measures } = model.front
  const wanted = !tried && (state.items ?? isPipelined(search, (key) => measures.find((one) => one.key === key)?.needs))
  const query = useQuery({
    queryKey: ['items', search.id, detail.hash],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/searches/{search_id}/plans/{number}/items/', {
          signal,
          params: { path: { search_id: search.id, number: detail.number }, query: { hash: detail.hash } },
        }),
      ),
    enabled: wanted,
    staleTime: Infinity,
    gcTime: 60_000,
  })
  const { data, refetch } = query
  const flight = useMemo(() => (wanted && data ? flightOf(detail, data) : null), [wanted, data, detail])
  return { wanted, flight, error: wanted && !data ? failureOf(query) : null, retry: () => void refetch() }
}
