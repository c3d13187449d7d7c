// The graph of a model: drawn, and as tables of its operators and of the edges between them, with one selection.
import { useState } from 'react'

import { useModelGraph } from '../../api/queries'
import type { Model, ModelSummary } from '../../api/types'
import { Segmented } from '../../components/Segmented'
import { LoadFailed } from '../../components/states'
import { GraphView } from '../../graph/GraphView'
import { useT } from '../../i18n'
import { EdgeTable } from './EdgeTable'
import { OperatorTable } from './OperatorTable'

export function GraphPanel({ model, summary }: { model: Model; summary: ModelSummary }) {
  const t = useT()
  const [view, setView] = useState<'operators' | 'edges'>('operators')
  const [operator, setOperator] = useState<number | null>(null)
  const graph = useModelGraph(model.id, summary.graph_hash)
  const tools = (
    <>
      <h2 id="tables-title">{t('model.tables')}</h2>
      <Segmented
        label={t('model.graph.view')}
        value={view}
        options={[
          { value: 'operators', label: t('model.operators') },
          { value: 'edges', label: t('model.graph.edges') },
        ]}
        onChange={setView}
      />
    </>
  )
  const shared = { modelId: model.id, graph: summary.graph_hash, tools }
  return (
    <>
      {summary.n_operators > 0 && (
        <section className="sheet mt" aria-labelledby="graph-title">
          {graph.data ? (
            <GraphView
              graph={graph.data}
              title={<h2 id="graph-title">{t('model.graph')}</h2>}
              label={t('graph.label', { name: model.name })}
              operator={operator}
              onOperator={setOperator}
            />
          ) : (
            <>
              <div className="head">
                <h2 id="graph-title">{t('model.graph')}</h2>
              </div>
              {graph.error ? (
                <LoadFailed error={graph.error} onRetry={() => void graph.refetch()} />
              ) : (
                <div className="graph-box loading" role="status" aria-label={t('graph.loading')} />
              )}
            </>
          )}
        </section>
      )}
      <section className="sheet mt operators" aria-labelledby="tables-title">
        {view === 'operators' ? (
          <OperatorTable {...shared} count={summary.n_operators} selected={operator} onSelect={setOperator} />
        ) : (
          <EdgeTable {...shared} count={summary.n_edges} />
        )}
      </section>
    </>
  )
}
