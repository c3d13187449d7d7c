/** The front as it was at an earlier generation, from the fronts that the search left behind. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { api, unwrap } from '../../api/client'
import { failureOf } from '../../api/failure'
import { tableOf } from '../logic/measures'
import { frontOfStep, type Step, stepAt } from '../logic/replay'
import type { Front, Search } from '../types'
import type { Earlier } from './earlier'

/** Every step that is stored; empty for searches that were made before they were. */
export function useSteps(search: Pick<Search, 'id' | 'generation' | 'state'>, isWanted: boolean): { readonly steps: readonly Step[] | undefined; readonly error: unknown; readonly retry: () => void } {
  const query = useQuery({
    queryKey: ['steps', search.id, search.state === 'running' ? search.generation : search.state],
    queryFn: ({ signal }) => unwrap(api.GET('/api/searches/{search_id}/steps/', { signal, params: { path: { search_id: search.id } } })),
    enabled: isWanted,
    staleTime: Infinity,
  })
  return { steps: query.data?.steps, error: failureOf(query), retry: () => void query.refetch() }
}

/** What lies under the front while a generation is replayed: null without one. */
export function useReplay(search: Search, front: Front, generation: number | null): Earlier | null {
  const { steps } = useSteps(search, generation !== null)
  const whole = useMemo(
    () => (steps?.length ? tableOf(frontOfStep(front, { generation: 0, hypervolume: null, values: steps.flatMap((one) => one.values) })) : null),
    [front, steps],
  )
  const step = generation === null || !steps ? undefined : stepAt(steps, generation)
  return useMemo(() => {
    if (!step || !whole) return null
    const then = frontOfStep(front, step)
    return { search: { id: search.id, number: search.number }, front: then, table: tableOf(then), generation: step.generation, whole }
  }, [front, step, whole, search.id, search.number])
}
