// Operators, compute and bytes of a model by type and by scope.
import { useModelGraph } from '../../api/queries'
import type { Model, ModelSummary } from '../../api/types'
import { ScopeBars } from './ScopeBars'
import { TypeBars } from './TypeBars'

export function Measures({ model, summary }: { model: Model; summary: ModelSummary }) {
  const { data } = useModelGraph(model.id, summary.graph_hash)
  const hasFlops = summary.flops > 0
  return (
    <>
      <TypeBars types={summary.op_types} graph={data} hasFlops={hasFlops} />
      <ScopeBars graph={data} hasFlops={hasFlops} />
    </>
  )
}
