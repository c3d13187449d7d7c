// Where in the model its compute lies.
import { useQueries } from '@tanstack/react-query'

import { OPERATORS_PER_PAGE, operatorsQuery } from '../../api/queries'
import { Bars } from '../../components/Bars'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { groupByScope } from './scopes'

/** Above this many operators the chart would need too many requests. */
export const MOST_FOR_SCOPES = 2000

export function ScopeBars({ modelId, graph, count }: { modelId: string; graph: string; count: number }) {
  const t = useT()
  const formats = useFormats()
  const offsets = Array.from({ length: Math.ceil(count / OPERATORS_PER_PAGE) }, (_, page) => page * OPERATORS_PER_PAGE)
  const pages = useQueries({ queries: offsets.map((offset) => operatorsQuery(modelId, graph, offset, '')) })
  const loaded = pages.every((page) => page.data)
  const { groups, rest } = groupByScope(loaded ? pages.flatMap((page) => page.data?.results ?? []) : [])
  const items = groups.map(({ name, flops }) => ({
    name: name === '' ? t('model.scopes.none') : name,
    value: flops,
    text: formats.flops(flops),
  }))
  const others = rest.reduce((sum, group) => sum + group.flops, 0)
  if (rest.length > 0) {
    items.push({ name: t('model.scopes.rest', { n: rest.length }), value: others, text: formats.flops(others) })
  }
  if (loaded && items.length === 0) return <div />
  return (
    <section className="sheet scopes">
      <div className="head">
        <h2>{t('model.scopes')}</h2>
        <span className="r small s3">FLOP = 2 × MAC</span>
      </div>
      <div className="body">
        <Bars items={items} />
      </div>
    </section>
  )
}
