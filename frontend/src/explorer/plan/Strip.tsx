/** Plan A as one strip, where there is no room for the card: figures, and the card as a dialog. */
import { useState } from 'react'

import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { PlanMark } from '../../components/marks'
import { useT } from '../../i18n'
import { figure, multiple } from '../logic/scales'
import { useExplorer } from '../state/context'
import { OBJECTIVES } from '../types'
import { PlanCard } from './PlanCard'

export function Strip() {
  const t = useT()
  const { model, lang } = useExplorer()
  const [open, setOpen] = useState(false)
  const plan = model.plans[model.a]
  if (!plan) return null
  const multiples = [plan.exec_time_x, plan.energy_x, plan.load_balance_x]
  return (
    <div className="xp-strip">
      <span className="row">
        <PlanMark plan="A" />
        <b className="nowrap hide-s">{t('explorer.plan.n', { number: plan.number })}</b>
      </span>
      {OBJECTIVES.map((metric, i) => (
        <div key={metric} className="xp-strip-figure">
          <span>{t(`explorer.metric.${metric}`)}</span>
          <b>{figure(plan[metric], model.scales[metric], lang)}</b> {model.scales[metric].unit}{' '}
          <span className="xp-strip-multiple">{multiple(multiples[i] ?? 0, lang)}</span>
        </div>
      ))}
      <Button size="s" className="xp-strip-open" onClick={() => setOpen(true)}>
        {t('explorer.plan.details')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('explorer.plan.details')}>
        <div className="xp-plan-dialog">
          <PlanCard />
        </div>
      </Dialog>
    </div>
  )
}
