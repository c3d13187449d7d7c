// Every tensor that passes from one operator of a model to another.
import type { ReactNode } from 'react'

import { EDGES_PER_PAGE, edgesQuery } from '../../api/queries'
import type { EdgeRow } from '../../api/types'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { PagedTable } from './PagedTable'
import { shapeText } from './shape'

function Cells({ edge }: { edge: EdgeRow }) {
  const lang = useLang()
  const formats = useFormats()
  const { source, target, tensor } = edge
  return (
    <>
      <span role="cell" className="num s3">
        {edge.index + 1}
      </span>
      <span role="cell" className="cut" title={source.name}>
        {source.name}
      </span>
      <span role="cell" className="cut" title={target.name}>
        {target.name}
      </span>
      <span role="cell" className="cut s2" title={tensor.name}>
        {tensor.name}
      </span>
      <span role="cell" className="cut" title={shapeText(tensor.shape)}>
        {shapeText(tensor.shape)}
      </span>
      <span role="cell" className="s2">
        {tensor.dtype}
      </span>
      <span role="cell" className="num">
        {formats.bytes(tensor.size_bytes)}
      </span>
      <span role="cell" className="cut s3">
        {translateCode('model.sizeSource', tensor.size_source, {}, tensor.size_source, lang)}
      </span>
    </>
  )
}

export function EdgeTable({ modelId, graph, count, tools }: { modelId: string; graph: string; count: number; tools: ReactNode }) {
  const t = useT()
  return (
    <PagedTable
      title={t('model.edges')}
      tools={tools}
      find={t('model.find.edge')}
      className="of-edges"
      columns={[
        { label: '#', num: true },
        { label: t('model.edge.from') },
        { label: t('model.edge.to') },
        { label: t('model.edge.tensor') },
        { label: t('model.edge.shape') },
        { label: t('model.edge.element') },
        { label: t('model.edge.size'), num: true },
        { label: t('model.edge.sizeFrom') },
      ]}
      count={count}
      perPage={EDGES_PER_PAGE}
      page={(offset, q) => edgesQuery(modelId, graph, offset, q)}
      found={(n) => t('model.find.edges', { n })}
      none={(q) => (q === '' ? t('model.noEdges') : t('model.find.noEdge', { q }))}
      cells={(edge) => <Cells edge={edge} />}
    />
  )
}
