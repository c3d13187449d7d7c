/** The plan that the work pane shows: plan A, or what became of it after moves that are tried. */
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useCallback, useContext, useMemo } from 'react'

import { api, unwrap } from '../../api/client'
import { keys } from '../../api/queries'
import { pick } from '../logic/model'
import { movedDetail, movesList, type Moves, withMoves } from '../logic/moves'
import { writePins } from '../logic/pins'
import { useExplorer } from '../state/context'
import { type PlanDetailState, usePlanDetail } from '../state/plan-detail'
import type { Plan, PlanDetail, WhatIf } from '../types'

export interface WhatIfState {
  /** Plan A as it is. */
  readonly base: PlanDetail
  readonly moves: Moves
  /** Null until the first answer is there. */
  readonly tried: WhatIf | null
  readonly busy: boolean
  readonly error: unknown
}

interface Work extends PlanDetailState {
  readonly whatIf: WhatIfState | null
  /** Move operators to a device; what is there already goes back to where plan A has it. */
  readonly tryOn: (operators: Iterable<number>, device: number) => void
  readonly discard: () => void
}

const WorkContext = createContext<Work | null>(null)

/** What moves make of a plan, by its hash. */
function triedQuery(searchId: string, base: string, moves: Moves) {
  return queryOptions({
    queryKey: ['what-if', searchId, base, writePins(moves)],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/searches/{search_id}/what-if/', {
          signal,
          params: { path: { search_id: searchId } },
          body: { base, moves: movesList(moves) },
        }),
      ) as Promise<WhatIf>,
    staleTime: Infinity,
    gcTime: 60_000,
  })
}

/** Reads what the moves of the address make of plan A. */
export function WhatIfProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const { search, model, state, update } = useExplorer()
  const plain = usePlanDetail()
  const plan = model.plans[model.a]
  const moves = model.picked ? state.moves : null
  const base = plain.stale ? undefined : plain.detail
  const asked = useQuery({
    ...triedQuery(search.id, plan?.hash ?? '', moves ?? {}),
    enabled: moves !== null && plan !== undefined,
    placeholderData: keepPreviousData,
  })
  const tried = moves !== null && asked.data?.base === plan?.hash ? (asked.data ?? null) : null
  const detail = useMemo(() => (base && tried ? movedDetail(base, tried) : undefined), [base, tried])
  const tryOn = useCallback(
    (operators: Iterable<number>, device: number) => {
      if (!base || !plan) return
      const next = withMoves(base, moves, operators, device)
      // The server works while the page draws that it does; a failure is the page's own reading's to show.
      if (next) client.query(triedQuery(search.id, plan.hash, next)).catch(() => undefined)
      update({ a: pick(plan), moves: next })
    },
    [base, plan, moves, update, client, search.id],
  )
  const discard = useCallback(() => update({ moves: null }), [update])
  const value = useMemo<Work>(
    () => ({
      ...plain,
      detail: detail ?? plain.detail,
      whatIf: moves && base ? { base, moves, tried, busy: asked.isFetching, error: asked.error } : null,
      tryOn,
      discard,
    }),
    [plain, detail, moves, base, tried, asked.isFetching, asked.error, tryOn, discard],
  )
  return <WorkContext value={value}>{children}</WorkContext>
}

export function useWork(): Work {
  const work = useContext(WorkContext)
  if (!work) throw new Error('useWork outside of its provider')
  return work
}

/** Keeps the tried plan, or a placement as text, beside the front, and makes it plan A. */
export function useKeep() {
  const client = useQueryClient()
  const { search, update } = useExplorer()
  return useMutation({
    mutationFn: (what: { base: string; moves: Moves } | string) =>
      unwrap(
        typeof what === 'string'
          ? api.POST('/api/searches/{search_id}/kept/', {
              params: { path: { search_id: search.id } },
              // The server tells CSV and JSON apart by the first character.
              body: what as never,
              bodySerializer: String,
              headers: { 'Content-Type': 'text/csv' },
            })
          : api.POST('/api/searches/{search_id}/kept/', {
              params: { path: { search_id: search.id } },
              body: { base: what.base, moves: movesList(what.moves) },
            }),
      ),
    onSuccess: async (plan: Plan) => {
      await client.invalidateQueries({ queryKey: keys.front(search.id) })
      update({ a: pick(plan), moves: null })
    },
  })
}
