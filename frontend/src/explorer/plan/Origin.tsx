/** One line under the plan's name: why this plan is A. */
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { KeptLine } from './KeptLine'

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
  const plan = model.plans[model.a]
  return (
    <>
    {plan?.kept && <KeptLine plan={plan} kept={plan.kept} />}
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
