// The figures of a model in one line.
import type { ModelSummary } from '../../api/types'
import { splitUnit, useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

function Figure({ label, text }: { label: string; text: string }) {
  const [figure, unit] = splitUnit(text)
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {figure} <small>{unit}</small>
      </dd>
    </div>
  )
}

export function Figures({ summary }: { summary: ModelSummary }) {
  const t = useT()
  const formats = useFormats()
  return (
    <dl className="figs" aria-label={t('model.figures')}>
      <Figure label={t('model.operators')} text={formats.number(summary.n_operators)} />
      <Figure label={t('model.edges')} text={formats.number(summary.n_edges)} />
      <Figure label={t('model.flops')} text={formats.flops(summary.flops)} />
      <Figure label={t('model.parameters')} text={formats.number(summary.parameters)} />
      <Figure label={t('model.weights')} text={formats.bytes(summary.weight_bytes)} />
      <Figure label={t('model.activations')} text={formats.bytes(summary.activation_bytes)} />
      <Figure label={t('model.estimated')} text={formats.number(summary.n_estimated_tensors)} />
    </dl>
  )
}
