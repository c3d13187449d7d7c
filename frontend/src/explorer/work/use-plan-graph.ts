/** The graph of a plan, the same object for every plan of a search: what is laid out stays laid out. */
import { useMemo } from 'react'

import type { GraphData } from '../../graph/data'
import { graphKey, planGraph } from '../logic/plan-graph'
import { useExplorer } from '../state/context'
import type { PlanDetail } from '../types'

const MOST = 4
const kept = new Map<string, GraphData>()

function graphOf(detail: PlanDetail, key: string): GraphData {
  const found = kept.get(key) ?? planGraph(detail, key)
  kept.delete(key)
  kept.set(key, found)
  for (const old of kept.keys()) if (kept.size > MOST) kept.delete(old)
  return found
}

export function usePlanGraph(detail: PlanDetail): GraphData {
  const { search } = useExplorer()
  return useMemo(() => graphOf(detail, graphKey(search.id, detail)), [detail, search.id])
}
