// What a model computes and holds, as texts: tables need not say it, and a zero there means that nothing was said.
import type { Model } from '../../api/types'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

export interface Amounts {
  compute: string
  parameters: string
}

export function useAmounts({ kind, summary }: Pick<Model, 'kind' | 'summary'>): Amounts {
  const t = useT()
  const formats = useFormats()
  if (!summary) return { compute: '–', parameters: '–' }
  const unsaid = (value: number) => kind === 'tables' && value === 0
  return {
    compute: unsaid(summary.flops) ? t('model.costsGiven') : formats.flops(summary.flops),
    parameters: unsaid(summary.parameters) ? '–' : formats.number(summary.parameters),
  }
}
