/** How sure the cost of an operator is: its interval, where it is from, and where its energy is from. */
import { translateCode, useT } from '../../i18n'
import { figure } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { PlanDetail, PlanOperator } from '../types'
import { operatorScales } from './scales'

export function CostLine({ detail, operator }: { readonly detail: PlanDetail; readonly operator: PlanOperator }) {
  const t = useT()
  const { model, lang } = useExplorer()
  if (operator.is_view) return null
  const { time } = operatorScales(detail, model.scales)
  return (
    <p className="small s3 xp-inspector-why" data-testid="cost">
      {t('explorer.sure.line', {
        low: figure(operator.time_low_ms, time, lang),
        high: figure(operator.time_high_ms, time, lang),
        unit: time.unit,
        source: translateCode('explorer.source', operator.cost_source, {}, operator.cost_source, lang),
        energy: translateCode('explorer.energySource', operator.energy_source, {}, operator.energy_source, lang),
      })}
    </p>
  )
}
