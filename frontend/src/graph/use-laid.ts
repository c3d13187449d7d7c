// The layout of a graph: at once where that takes a few milliseconds, else by a worker, while the one before is shown.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'

import type { GraphData } from './data'
import { Layouter } from './layouter'
import { type Laid, layScene, type Placed } from './scene'
import type { ScopeTree } from './scopes'

/** Up to this many operators are laid out at once, in about 10 ms. */
const AT_ONCE = 2000

interface Found {
  readonly graph: GraphData
  readonly folded: ReadonlySet<number>
  /** Null where it was stopped or failed. */
  readonly placed: Placed | null
  readonly reason: string
}

export interface LaidState {
  /** The newest layout of the graph, perhaps of what was folded before; null until there is one. */
  readonly laid: Laid | null
  /** What was folded in it. */
  readonly foldedThen: ReadonlySet<number> | null
  readonly isBusy: boolean
  /** Why there is no newer one; empty where it was stopped. */
  readonly failed: string | null
  readonly stop: () => void
  readonly again: () => void
}

export function useLaid(graph: GraphData, tree: ScopeTree, folded: ReadonlySet<number>): LaidState {
  const isImmediate = graph.count <= AT_ONCE || typeof Worker === 'undefined'
  const immediate = useMemo(
    () => (isImmediate ? { graph, tree, ...layScene(graph, tree, folded) } : null),
    [isImmediate, graph, tree, folded],
  )
  const [found, setFound] = useState<Found | null>(null)
  const [shown, setShown] = useState<Found | null>(null)
  const [round, setRound] = useState(0)
  const layouter = useRef<Layouter | null>(null)
  useEffect(() => {
    if (isImmediate) return
    const own = (layouter.current = new Layouter(graph))
    return () => own.close()
  }, [isImmediate, graph])
  const kept = shown?.graph === graph ? shown : null
  const isKept = kept?.folded === folded
  useEffect(() => {
    const own = layouter.current
    if (isImmediate || isKept || !own) return
    own.lay(
      folded,
      (placed) => {
        const now = { graph, folded, placed, reason: '' }
        setFound(now)
        setShown(now)
      },
      (reason) => setFound({ graph, folded, placed: null, reason }),
    )
    return () => own.cancel()
  }, [isImmediate, isKept, graph, folded, round])
  const stop = useCallback(() => {
    layouter.current?.cancel()
    setFound({ graph, folded, placed: null, reason: '' })
  }, [graph, folded])
  const again = useCallback(() => {
    setFound(null)
    setRound((n) => n + 1)
  }, [])
  const fromWorker = useMemo(() => (kept?.placed ? { graph, tree, ...kept.placed } : null), [graph, tree, kept])
  const isSettled = immediate !== null || isKept || (found?.graph === graph && found.folded === folded)
  return {
    laid: immediate ?? fromWorker,
    foldedThen: immediate ? folded : (kept?.folded ?? null),
    isBusy: !isSettled,
    failed: isSettled && !immediate && !isKept && found?.placed === null ? found.reason : null,
    stop,
    again,
  }
}
