// Training plans of the team, and the form that plans a new one.
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { useSession } from '../../api/queries'
import { useDeleteTrainingPlan, useStartTrainingPlan, useTrainingPlans, type TrainingPlanBrief } from '../../api/training'
import { canPlan } from '../../app/permissions'
import { useTitle } from '../../app/title'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { RowMenu } from '../../components/RowMenu'
import { BoneRows, Empty, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { ClusterForm } from './ClusterForm'
import { EXAMPLE } from './draft'

function Row({ plan, onDelete }: { plan: TrainingPlanBrief; onDelete: (() => void) | null }) {
  const t = useT()
  const formats = useFormats()
  return (
    <tr>
      <td>
        <Link to="/training/$id" params={{ id: plan.id }}>
          {plan.name}
        </Link>
        {plan.lost.length > 0 && <span className="s3"> · {t('training.lostN', { n: plan.lost.length })}</span>}
      </td>
      <td>{plan.model}</td>
      <td>{t(`training.state.${plan.state}`)}</td>
      <td className="num">{plan.step_s === null ? '–' : t('training.seconds', { n: formats.figure(plan.step_s, 4) })}</td>
      <td className="s3 nowrap">{formats.dateTime(plan.created_at)}</td>
      <td className="num">
        <RowMenu
          label={t('training.actions', { name: plan.name })}
          remove={onDelete && { label: t('training.delete'), onSelect: onDelete }}
        />
      </td>
    </tr>
  )
}

export function TrainingPage() {
  const t = useT()
  const navigate = useNavigate()
  const plans = useTrainingPlans()
  const start = useStartTrainingPlan()
  const remove = useDeleteTrainingPlan()
  const { data: session } = useSession()
  const [doomed, setDoomed] = useState<TrainingPlanBrief | null>(null)
  useTitle(t('training.title'))
  const may = canPlan(session)
  const rows = plans.data?.results
  return (
    <main className="page" id="main" tabIndex={-1}>
      <div className="pagehead">
        <h1>{t('training.title')}</h1>
      </div>
      <p className="read s2 hw-intro">{t('training.intro')}</p>
      <ClusterForm
        start={EXAMPLE}
        busy={start.isPending}
        error={start.error}
        disabledReason={may ? null : t('forbidden.viewer')}
        onPlan={(request) =>
          start.mutate(request, {
            onSuccess: (plan) => void navigate({ to: '/training/$id', params: { id: plan.id } }),
          })
        }
      />
      <section className="sheet scroll-x mt" aria-labelledby="training-plans">
        <div className="head">
          <h2 id="training-plans">{t('training.plans')}</h2>
        </div>
        {plans.error && !rows ? (
          <LoadFailed error={plans.error} onRetry={() => void plans.refetch()} />
        ) : rows?.length === 0 ? (
          <Empty inSheet title={t('training.none')} />
        ) : (
          <table className="roomy">
            <thead>
              <tr>
                <th>{t('training.name')}</th>
                <th>{t('training.model')}</th>
                <th>{t('training.state')}</th>
                <th className="num">{t('training.step')}</th>
                <th>{t('training.made')}</th>
                <th>
                  <span className="sr">{t('common.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows ? (
                rows.map((plan) => <Row key={plan.id} plan={plan} onDelete={may ? () => setDoomed(plan) : null} />)
              ) : (
                <BoneRows rows={3} columns={6} />
              )}
            </tbody>
          </table>
        )}
      </section>
      <ConfirmDialog
        open={doomed !== null}
        title={t('training.delete.ask', { name: doomed?.name ?? '' })}
        action={t('training.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => doomed && remove.mutate(doomed.id, { onSuccess: () => setDoomed(null) })}
        onClose={() => setDoomed(null)}
      >
        {t('training.delete.text')}
      </ConfirmDialog>
    </main>
  )
}
