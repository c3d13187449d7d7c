/** Time, energy and balance of plan A: value, unit, multiple of the default plan, and a rail. */
import { useT } from '../../i18n'
import { withUnit } from '../logic/scales'
import { violationsOf } from '../logic/selection'
import { useExplorer } from '../state/context'
import { useEnergySource } from '../state/energy-source'
import { useFigures } from '../state/figures'
import { Rail } from './Rail'

export function Figures() {
  const t = useT()
  const { model, lang } = useExplorer()
  const figures = useFigures(model.a)
  const energySource = useEnergySource()
  const broken = violationsOf(model.table, model.bounds, model.a)
  return (
    <div className="xp-figures">
      {figures.map(({ key: metric, name, value, unit, scale, multiple }) => {
        const miss = broken.find((v) => v.metric === metric)
        return (
          <div key={metric} data-metric={metric}>
            <div className="xp-figure-label">
              {name}
              {metric === 'energy_j' && energySource && <span className="s3" title={t('explorer.sure.energy')}> {energySource}</span>}
            </div>
            <div className="xp-figure-value">
              {value}
              {unit && <small> {unit}</small>}
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
                  {multiple} <span className="s3">{t('explorer.default')}</span>
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
