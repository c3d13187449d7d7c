// Where in the model its compute and bytes lie.
import { useMemo, useState } from 'react'

import { Bars } from '../../components/Bars'
import type { GraphData } from '../../graph/data'
import { useT } from '../../i18n'
import { MeasureChoice, useMeasureText } from './MeasureChoice'
import { type Measure, sumByScope } from './scopes'

/** `graph` is undefined while it loads. */
export function ScopeBars({ graph, hasFlops }: { graph: GraphData | undefined; hasFlops: boolean }) {
  const t = useT()
  const text = useMeasureText()
  const [measure, setMeasure] = useState<Measure>(hasFlops ? 'flops' : 'bytes')
  const { groups, rest } = useMemo(() => (graph ? sumByScope(graph, measure) : { groups: [], rest: [] }), [graph, measure])
  const items = groups.map(({ name, value }) => ({ name: name === '' ? t('model.scopes.none') : name, value, text: text(measure, value) }))
  const others = rest.reduce((sum, group) => sum + group.value, 0)
  if (rest.length > 0) items.push({ name: t('model.scopes.rest', { n: rest.length }), value: others, text: text(measure, others) })
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('model.scopes')}</h2>
        <span className="r">
          <MeasureChoice
            label={t('model.measure')}
            value={measure}
            options={hasFlops ? ['count', 'flops', 'bytes'] : ['count', 'bytes']}
            onChange={setMeasure}
          />
        </span>
      </div>
      <div className="body">
        <Bars items={items} />
        {graph && items.length === 0 && <p className="small s3">{t('model.scopes.nothing')}</p>}
      </div>
    </section>
  )
}
