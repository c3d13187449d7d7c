/** One line under the plan's name: why this plan is A. */
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'

export function Origin() {
  const t = useT()
  const { model, update } = useExplorer()
  const weights = model.weights.join(' / ')
  const count = model.selection.nPassing
  let text: string
  if (count === 0) text = model.picked && model.rank > 0 ? t('explorer.plan.by_hand_removed') : t('explorer.plan.nearest')
  else if (model.lost) text = t('explorer.plan.lost')
  else if (model.rank === 0) text = t('explorer.plan.by_weights', { weights })
  else if (model.rank < 0) text = t('explorer.plan.by_hand_removed')
  else text = t('explorer.plan.by_hand', { rank: model.rank + 1, count, weights })
  const { kept } = model.plans[model.a] ?? {}
  return (
    <>
    {kept && <Kept kept={kept} />}
    <p className="xp-origin">
      {text}
      {model.picked && model.rank !== 0 && (
        <Button kind="quiet" size="s" onClick={() => update({ a: null })}>
          {t('explorer.plan.follow')}
        </Button>
      )}
    </p>
    </>
  )
}

/** Of a plan that was made by hand: from which, and by whom. */
function Kept({ kept }: { kept: NonNullable<Plan['kept']> }) {
  const t = useT()
  const { model } = useExplorer()
  const base = model.plans.find((plan) => plan.hash === kept.base)
  const text =
    kept.moved === null
      ? t('explorer.plan.kept_placement')
      : base
        ? t('explorer.plan.kept', { count: kept.moved, number: base.number })
        : t('explorer.plan.kept_gone', { count: kept.moved })
  return (
    <p className="xp-origin" data-testid="kept">
      {text}
      {kept.by && <span className="s3"> · {t('explorer.plan.kept_by', { name: kept.by })}</span>}
    </p>
  )
}
