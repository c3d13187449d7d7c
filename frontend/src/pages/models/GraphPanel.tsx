// The graph of a model as tables: its operators, or the edges between them.
import { useState } from 'react'

import type { ModelSummary } from '../../api/types'
import { Segmented } from '../../components/Segmented'
import { useT } from '../../i18n'
import { EdgeTable } from './EdgeTable'
import { OperatorTable } from './OperatorTable'

export function GraphPanel({ modelId, summary }: { modelId: string; summary: ModelSummary }) {
  const t = useT()
  const [view, setView] = useState<'operators' | 'edges'>('operators')
  const tools = (
    <>
      <h2 id="graph-title">{t('model.graph')}</h2>
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
  const shared = { modelId, graph: summary.graph_hash, tools }
  return (
    <section className="sheet mt operators" aria-labelledby="graph-title">
      {view === 'operators' ? (
        <OperatorTable {...shared} count={summary.n_operators} />
      ) : (
        <EdgeTable {...shared} count={summary.n_edges} />
      )}
    </section>
  )
}
