// How many operators of each type the model has, and the compute and bytes of each type.
import { useState } from 'react'

import { Bars } from '../../components/Bars'
import { Button } from '../../components/Button'
import type { GraphData } from '../../graph/data'
import { useT } from '../../i18n'
import { MeasureChoice, useMeasureText } from './MeasureChoice'
import { type Measure, sumByType } from './scopes'

const FIRST = 12

/** `graph` is undefined while it loads: the counts are known before. */
export function TypeBars({ types, graph, hasFlops }: { types: Record<string, number>; graph: GraphData | undefined; hasFlops: boolean }) {
  const t = useT()
  const text = useMeasureText()
  const [all, setAll] = useState(false)
  const [measure, setMeasure] = useState<Measure>('count')
  const counts = () =>
    Object.entries(types)
      .map(([name, value]) => ({ name, value }))
      .sort((a, b) => b.value - a.value || a.name.localeCompare(b.name))
  const shown = graph ? measure : 'count'
  const sorted = graph && shown !== 'count' ? sumByType(graph, shown) : counts()
  const listed = all ? sorted : sorted.slice(0, FIRST)
  const hidden = sorted.length - listed.length
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('model.types')}</h2>
        <span className="r">
          <MeasureChoice label={t('model.measure')} value={shown} options={graph ? (hasFlops ? ['count', 'flops', 'bytes'] : ['count', 'bytes']) : []} onChange={setMeasure} />
        </span>
      </div>
      <div className="body">
        <Bars items={listed.map(({ name, value }) => ({ name, value, text: text(shown, value) }))} />
        {sorted.length > FIRST && (
          <div className="row small s3 after-bars">
            {hidden > 0 && <span>{t('model.types.more', { n: hidden })}</span>}
            <Button size="s" kind="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? t('model.types.fewer') : t('model.types.all')}
            </Button>
          </div>
        )}
      </div>
    </section>
  )
}
