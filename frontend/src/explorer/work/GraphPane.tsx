/** The graph tab: operators of the plan coloured and lettered by device, edges between devices by their bytes. */
import { useMemo } from 'react'

import { GraphView } from '../../graph/GraphView'
import { useT } from '../../i18n'
import { criticalOf } from '../logic/lookup'
import { devicesByIndex } from '../logic/plan-graph'
import { useExplorer } from '../state/context'
import type { PlanDetail } from '../types'
import { WorkLegend } from './WorkLegend'
import { usePlanGraph } from './use-plan-graph'

export function GraphPane({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const { model, state, update } = useExplorer()
  const { devices } = model.front
  const graph = usePlanGraph(detail)
  const placement = useMemo(
    () => ({ device: devicesByIndex(detail), devices, critical: criticalOf(detail) }),
    [detail, devices],
  )
  return (
    <div className="xp-pane xp-graph">
      <WorkLegend />
      <GraphView
        graph={graph}
        title={null}
        label={t('explorer.graph.label', { number: model.plans[model.a]?.number ?? detail.number })}
        operator={state.operator}
        onOperator={(operator) => update({ operator })}
        placement={placement}
        onEnter={() => document.getElementById('inspector')?.focus()}
        scrolls={false}
      />
    </div>
  )
}
