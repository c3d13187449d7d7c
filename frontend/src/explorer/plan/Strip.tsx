/** Plan A as one strip, where there is no room for the card: figures, and the card as a dialog. */
import { useState } from 'react'

import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { PlanMark } from '../../components/marks'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { useFigures } from '../state/figures'
import { PlanCard } from './PlanCard'

export function Strip() {
  const t = useT()
  const { model } = useExplorer()
  const figures = useFigures(model.a)
  const [open, setOpen] = useState(false)
  const plan = model.plans[model.a]
  if (!plan) return null
  return (
    <div className="xp-strip">
      <span className="row">
        <PlanMark plan="A" />
        <b className="nowrap hide-s">{t('explorer.plan.n', { number: plan.number })}</b>
      </span>
      {figures.map(({ key, name, value, unit, multiple }) => (
        <div key={key} className="xp-strip-figure">
          <span>{name}</span>
          <b>{value}</b> {unit} <span className="xp-strip-multiple">{multiple}</span>
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
