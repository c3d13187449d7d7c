/** The plan card: three figures with their rails, device use, memory, transfers, bound gap, ranking, downloads. */
import { PlanMark } from '../../components/marks'
import { useT } from '../../i18n'
import { ReviewButton } from '../../pages/reviews/ReviewButton'
import { EvaluatePlacement } from '../placement/EvaluatePlacement'
import { useExplorer } from '../state/context'
import { DeviceRows } from './DeviceRows'
import { Facts } from './Facts'
import { Figures } from './Figures'
import { Origin } from './Origin'
import { Ranked } from './Ranked'

export function PlanCard() {
  const t = useT()
  const { model, search, live, unread } = useExplorer()
  const plan = model.plans[model.a]
  return (
    <aside className="xp-plan" aria-label={t('explorer.plan')} id="plan">
      {plan ? (
        <>
          <div className="xp-plan-id">
            <PlanMark plan="A" />
            <h2>{t('explorer.plan.n', { number: plan.number })}</h2>
            {plan.from_solver && (
              <span className="s3" title={t('explorer.plan.from_solver.hint')}>
                {t('explorer.plan.from_solver')}
              </span>
            )}
            <ReviewButton search={search.id} plan={plan} running={live} />
          </div>
          <Origin />
          <Figures />
          <DeviceRows plan={plan} />
          <Facts plan={plan} />
          <Ranked />
          <EvaluatePlacement />
        </>
      ) : (
        <p className="xp-plan-none s3">{t(unread === 'reading' ? 'explorer.front.reading' : unread ? 'explorer.front.unread' : 'explorer.work.no_plan')}</p>
      )}
    </aside>
  )
}
