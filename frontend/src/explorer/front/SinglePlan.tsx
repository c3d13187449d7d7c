/** A front of one plan or none: said in words instead of drawn. */
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { figure, multiple } from '../logic/scales'
import { useExplorer } from '../state/context'
import { OBJECTIVES, type SearchState } from '../types'

const EMPTY: Readonly<Record<SearchState, 'explorer.empty.waiting' | 'explorer.empty.stopped' | 'explorer.empty.failed'>> = {
  queued: 'explorer.empty.waiting',
  running: 'explorer.empty.waiting',
  done: 'explorer.empty.stopped',
  stopped: 'explorer.empty.stopped',
  failed: 'explorer.empty.failed',
  no_feasible: 'explorer.empty.failed',
}

export function SinglePlan() {
  const t = useT()
  const f = useFormats()
  const { model, search, lang } = useExplorer()
  const [plan] = model.plans
  if (!plan)
    return (
      <div className="xp-note">
        <h3>{t('explorer.empty.title')}</h3>
        <p>{t(EMPTY[search.state])}</p>
      </div>
    )
  const multiples = [plan.exec_time_x, plan.energy_x, plan.load_balance_x]
  return (
    <div className="xp-note">
      <h3>{t('explorer.single.title')}</h3>
      <p>{t('explorer.single.why')}</p>
      <dl className="dl">
        {OBJECTIVES.map((metric, i) => (
          <div key={metric} className="xp-note-row">
            <dt>{t(`explorer.metric.${metric}`)}</dt>
            <dd>
              {figure(plan[metric], model.scales[metric], lang)} {model.scales[metric].unit}{' '}
              <span className="s3">
                {multiple(multiples[i] ?? 0, lang)} {t('explorer.default')}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="s3">{t('explorer.status.evaluations', { count: f.number(model.front.evaluations) })}</p>
    </div>
  )
}
