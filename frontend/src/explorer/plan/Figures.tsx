/** Time, energy and balance of plan A: value, unit, multiple of the default plan, and a rail. */
import { useT } from '../../i18n'
import { figure, multiple, withUnit } from '../logic/scales'
import { violationsOf } from '../logic/selection'
import { useExplorer } from '../state/context'
import { OBJECTIVES, type Plan } from '../types'
import { Rail } from './Rail'

export function Figures({ plan }: { plan: Plan }) {
  const t = useT()
  const { model, state, lang } = useExplorer()
  const multiples = [plan.exec_time_x, plan.energy_x, plan.load_balance_x]
  const broken = violationsOf(plan, state.bounds)
  return (
    <div className="xp-figures">
      {OBJECTIVES.map((metric, i) => {
        const scale = model.scales[metric]
        const miss = broken.find((v) => v.metric === metric)
        return (
          <div key={metric} data-metric={metric}>
            <div className="xp-figure-label">{t(`explorer.metric.${metric}`)}</div>
            <div className="xp-figure-value">
              {figure(plan[metric], scale, lang)}
              {scale.unit && <small> {scale.unit}</small>}
            </div>
            <div className="xp-figure-multiple">
              {miss ? (
                <b className="xp-over">
                  {t(miss.side === 'max' ? 'explorer.plan.over' : 'explorer.plan.under', {
                    amount: withUnit(miss.amount, scale, lang),
                  })}
                </b>
              ) : (
                <>
                  {multiple(multiples[i] ?? 0, lang)} <span className="s3">{t('explorer.default')}</span>
                </>
              )}
            </div>
            <Rail metric={metric} />
          </div>
        )
      })}
    </div>
  )
}
