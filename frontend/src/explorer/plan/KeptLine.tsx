/** Of a plan that was made by hand: from which, by whom, and a way to remove it. */
import { useState } from 'react'

import { useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { toast } from '../../components/announce'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'
import { useRemoveKept } from '../whatif/remove-kept'

export function KeptLine({ plan, kept }: { plan: Plan; kept: NonNullable<Plan['kept']> }) {
  const t = useT()
  const { model } = useExplorer()
  const session = useSession().data
  const [asking, setAsking] = useState(false)
  const remove = useRemoveKept()
  const base = model.plans.find((one) => one.hash === kept.base)
  const text =
    kept.moved === null
      ? t('explorer.plan.kept_placement')
      : base
        ? t('explorer.plan.kept', { count: kept.moved, number: base.number })
        : t('explorer.plan.kept_gone', { count: kept.moved })
  const gone = async () => {
    await remove.mutateAsync(plan.hash)
    setAsking(false)
    toast(t('explorer.plan.removed', { number: plan.number }))
  }
  return (
    <p className="xp-origin" data-testid="kept">
      {text}
      {kept.by && <span className="s3"> · {t('explorer.plan.kept_by', { name: kept.by })}</span>}{' '}
      <Button
        kind="quiet"
        size="s"
        disabledReason={canPlan(session) ? null : t('explorer.plan.remove.not_yours')}
        onClick={() => {
          remove.reset()
          setAsking(true)
        }}
      >
        {t('explorer.plan.remove')}
      </Button>
      <ConfirmDialog
        open={asking}
        title={t('explorer.plan.remove.ask', { number: plan.number })}
        action={t('explorer.plan.remove')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => void gone().catch(() => undefined)}
        onClose={() => setAsking(false)}
      >
        {t('explorer.plan.remove.text')}
      </ConfirmDialog>
    </p>
  )
}
