/** The graph of A where it differs from B: what moved carries both devices, the rest is faint. */
import { useMemo } from 'react'

import { GraphView } from '../../graph/GraphView'
import { useT } from '../../i18n'
import { devicesByIndex } from '../logic/plan-graph'
import { useExplorer } from '../state/context'
import type { DeviceRef, PlanDetail } from '../types'
import { usePlanGraph } from '../work/use-plan-graph'
import { beforeOf, bothPools, movesBetween } from './moves'

interface Props {
  readonly a: PlanDetail
  readonly b: PlanDetail
  readonly devicesB: readonly DeviceRef[]
}

export function Difference({ a, b, devicesB }: Props) {
  const t = useT()
  const { model, state, update } = useExplorer()
  const { devices } = model.front
  const graph = usePlanGraph(a)
  const placement = useMemo(() => {
    const all = bothPools(devices, devicesB)
    return { device: devicesByIndex(a), devices: all, before: beforeOf(a, b, all, devicesB) }
  }, [a, b, devices, devicesB])
  const [first] = useMemo(() => movesBetween(a, b, devices, devicesB), [a, b, devices, devicesB])
  return (
    <div className="xp-graph">
      <GraphView
        graph={graph}
        title={null}
        label={t('explorer.compare.graph_label', { a: a.number, b: b.number })}
        operator={state.operator}
        onOperator={(operator) => update({ operator })}
        looksAt={first?.index ?? null}
        placement={placement}
        scrolls={false}
      />
    </div>
  )
}
