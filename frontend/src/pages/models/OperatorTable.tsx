// Every operator of a model; a row opens and shows the tensors that it reads and writes, and its parameters.
import { useState, type ReactNode } from 'react'

import { OPERATORS_PER_PAGE, operatorsQuery } from '../../api/queries'
import type { OperatorRow } from '../../api/types'
import { Icon } from '../../components/icons'
import { useFormats } from '../../format/numbers'
import { BYTES_PER_KB, FLOP_PER_MFLOP } from '../../format/units'
import { translateCode, useLang, useT } from '../../i18n'
import { OperatorTensors } from './OperatorTensors'
import { PagedTable } from './PagedTable'

function Cells({ row, shown }: { row: OperatorRow; shown: boolean }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  return (
    <>
      <span role="cell" className="num s3">
        {row.index + 1}
      </span>
      <span role="cell" className="cut">
        {/* The click reaches the row, which opens on any of its cells. */}
        <button type="button" className="disclose" aria-expanded={shown} title={row.name}>
          <Icon name={shown ? 'chevron' : 'right'} />
          <span className="cut">{row.name}</span>
        </button>
      </span>
      <span role="cell" className="cut s2">
        {row.op_type}
      </span>
      <span role="cell" className="num">
        {row.n_initializers > 0 ? formats.number(row.parameters) : ''}
      </span>
      <span role="cell" className="num">
        {row.is_view ? '' : formats.least(row.flops / FLOP_PER_MFLOP, 1)}
      </span>
      <span role="cell" className="num">
        {row.is_view ? '' : formats.least(row.bytes_read / BYTES_PER_KB, 0)}
      </span>
      <span role="cell" className="num">
        {row.is_view ? '' : formats.least(row.bytes_written / BYTES_PER_KB, 0)}
      </span>
      <span role="cell" className="s2">
        {row.precision}
      </span>
      <span role="cell" className="s3">
        {row.is_view ? t('model.view') : translateCode('model.source', row.flops_source, {}, row.flops_source, lang)}
      </span>
    </>
  )
}

export interface OperatorTableProps {
  modelId: string
  graph: string
  count: number
  tools: ReactNode
  selected: number | null
  onSelect: (operator: number) => void
}

export function OperatorTable({ modelId, graph, count, tools, selected, onSelect }: OperatorTableProps) {
  const t = useT()
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const toggle = ({ index }: OperatorRow) => {
    onSelect(index)
    setOpen((before) => {
      const next = new Set(before)
      if (!next.delete(index)) next.add(index)
      return next
    })
  }
  return (
    <PagedTable
      title={t('model.operators')}
      tools={tools}
      find={t('model.find')}
      className="of-operators"
      columns={[
        { label: '#', num: true },
        { label: t('model.col.name') },
        { label: t('model.col.type') },
        { label: t('model.col.parameters'), num: true },
        { label: t('model.col.compute'), num: true },
        { label: t('model.col.read'), num: true },
        { label: t('model.col.written'), num: true },
        { label: t('model.col.precision') },
        { label: t('model.col.source') },
      ]}
      count={count}
      perPage={OPERATORS_PER_PAGE}
      page={(offset, q) => operatorsQuery(modelId, graph, offset, q)}
      found={(n) => t('model.find.count', { n })}
      none={(q) => t('model.find.none', { q })}
      cells={(row) => <Cells row={row} shown={open.has(row.index)} />}
      below={(row) => open.has(row.index) && <OperatorTensors row={row} />}
      onRowClick={toggle}
      selected={selected}
      isSelected={(row) => row.index === selected}
    />
  )
}
