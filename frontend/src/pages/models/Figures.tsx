// The figures of a model in one line.
import type { ModelSummary } from '../../api/types'
import { splitUnit, useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

function Figure({ label, text, title }: { label: string; text: string; title?: string | undefined }) {
  const [figure, unit] = splitUnit(text)
  return (
    <div title={title}>
      <dt>{label}</dt>
      <dd>
        {figure} <small>{unit}</small>
        {title && <span className="sr">{title}</span>}
      </dd>
    </div>
  )
}

export function Figures({ summary, tables }: { summary: ModelSummary; tables: boolean }) {
  const t = useT()
  const formats = useFormats()
  // Tables need not say what an operator computes or holds: a zero there means that nothing was said.
  const said = (value: number, text: string) =>
    tables && value === 0 ? { text: '–', title: t('model.figures.byTables') } : { text }
  return (
    <dl className="figs" aria-label={t('model.figures')}>
      <Figure label={t('model.operators')} text={formats.number(summary.n_operators)} />
      <Figure label={t('model.edges')} text={formats.number(summary.n_edges)} />
      <Figure label={t('model.flops')} {...said(summary.flops, formats.flops(summary.flops))} />
      <Figure label={t('model.parameters')} {...said(summary.parameters, formats.number(summary.parameters))} />
      <Figure label={t('model.weights')} {...said(summary.weight_bytes, formats.bytes(summary.weight_bytes))} />
      <Figure label={t('model.activations')} text={formats.bytes(summary.activation_bytes)} />
      <Figure label={t('model.estimated')} text={formats.number(summary.n_estimated_tensors)} />
    </dl>
  )
}
