/** Time, energy and balance of plan A: value, unit, multiple of the default plan, and a rail. */
import { Help, type Term } from '../../components/Help'
import { useT } from '../../i18n'
import { withUnit } from '../logic/scales'
import { violationsOf } from '../logic/selection'
import { useExplorer } from '../state/context'
import { useEnergySource } from '../state/energy-source'
import { useFigures } from '../state/figures'
import { Rail } from './Rail'

const TERMS: Readonly<Record<string, Term>> = {
  exec_time_ms: 'makespan',
  load_balance: 'balance',
  throughput_per_s: 'throughput',
  pipeline_throughput_per_s: 'throughput',
  latency_p99_ms: 'p99',
}

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
        const term = TERMS[metric]
        return (
          <div key={metric} data-metric={metric}>
            <div className="xp-figure-label">
              {name}
              {term && <Help terms={[term]} />}
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
            {metric === 'energy_j' && energySource && (
              <div className="xp-figure-source" title={t('explorer.sure.energy')}>
                {energySource}
              </div>
            )}
          </div>
        )
      })}
    </div>
  )
}
