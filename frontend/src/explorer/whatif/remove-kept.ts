/** Removes a plan that was kept by hand; where it was A, the weights choose again. */
import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, unwrap } from '../../api/client'
import { keys } from '../../api/queries'
import { useExplorer } from '../state/context'

export function useRemoveKept() {
  const client = useQueryClient()
  const { search, state, update } = useExplorer()
  return useMutation({
    mutationFn: (hash: string) =>
      unwrap(
        api.DELETE('/api/searches/{search_id}/kept/{plan_hash}/', {
          params: { path: { search_id: search.id, plan_hash: hash } },
        }),
      ),
    onSuccess: async (_, hash) => {
      const names = (chosen: string | null) => chosen !== null && hash.startsWith(chosen)
      update({ ...(names(state.a) && { a: null, moves: null }), ...(names(state.b) && { b: null }) })
      await client.invalidateQueries({ queryKey: keys.front(search.id) })
    },
  })
}
