// One training plan: under way, refused, or its result.
import { useParams } from '@tanstack/react-router'

import { ApiError } from '../../api/errors'
import { useSession } from '../../api/queries'
import { isUnderWay, useStopTrainingPlan, useTrainingPlan, type TrainingPlan } from '../../api/training'
import { BarContent } from '../../app/bar'
import { canPlan } from '../../app/permissions'
import { useTitle } from '../../app/title'
import { Banner, ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { PageFailed } from '../Faults'
import { Result } from './Result'

function Waiting({ plan }: { plan: TrainingPlan }) {
  const t = useT()
  const formats = useFormats()
  const stop = useStopTrainingPlan()
  const { data: session } = useSession()
  const { job } = plan
  const actions = job && canPlan(session) && (
    <Button size="s" busy={stop.isPending} onClick={() => stop.mutate(job)}>
      {t('training.stop')}
    </Button>
  )
  return (
    <Banner tone="info" role="status" title={t('training.planning', { share: formats.share(plan.share) })} actions={actions}>
      {null}
    </Banner>
  )
}

export function TrainingPlanRoute() {
  const t = useT()
  const { id } = useParams({ from: '/training/$id' })
  const found = useTrainingPlan(id)
  const plan = found.data
  useTitle(plan?.name)
  if (found.error && !plan) return <PageFailed error={found.error} onRetry={() => void found.refetch()} />
  if (!plan) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />
  const crumbs = [{ label: t('training.title'), to: '/training' }, { label: plan.name }]
  const actions = plan.result && (
    <a className="btn" href={`/api/training-plans/${plan.id}/export/`}>
      {t('training.exportPlan')}
    </a>
  )
  return (
    <main className="page" id="main" tabIndex={-1}>
      <BarContent crumbs={crumbs} actions={actions} />
      <div className="pagehead">
        <div>
          <h1>{plan.name}</h1>
          <p className="s2">
            {plan.model}
            {plan.lost.length > 0 && ` · ${t('training.lostN', { n: plan.lost.length })}`}
            {plan.before && (
              <>
                {' · '}
                <a href={`/training/${plan.before}`}>{t('training.beforeLink')}</a>
              </>
            )}
          </p>
        </div>
      </div>
      {isUnderWay(plan) && <Waiting plan={plan} />}
      {plan.error && <ErrorBanner error={new ApiError(400, plan.error)} />}
      {plan.state === 'stopped' && <Banner tone="info" title={t('training.stopped')} />}
      {plan.result && <Result key={plan.id} plan={plan} result={plan.result} />}
    </main>
  )
}
