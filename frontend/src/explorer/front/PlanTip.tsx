/** Tooltip of the plan under the pointer: number, three figures with multiples, rank. */
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { useFigures } from '../state/figures'

export function PlanTip({ index, x, y, width }: { index: number; x: number; y: number; width: number }) {
  const t = useT()
  const { model } = useExplorer()
  const figures = useFigures(index)
  const plan = model.plans[index]
  if (!plan) return null
  const rank = model.selection.nPassing ? model.selection.ranked.indexOf(index) : -1
  const right = x > width - 210
  return (
    <div className="xp-tip" style={{ left: x, top: y, translate: right ? 'calc(-100% - 14px) -50%' : '14px -50%' }}>
      <b>{t('explorer.plan.n', { number: plan.number })}</b>{' '}
      <span className="s3">
        {rank >= 0
          ? t('explorer.rank', { rank: rank + 1, count: model.selection.nPassing })
          : t('explorer.legend.removed')}
        {plan.from_solver && ` · ${t('explorer.plan.from_solver')}`}
      </span>
      <dl>
        {figures.map(({ key, name, value, unit, multiple }) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>
              {value} {unit}
            </dd>
            <dd className="s3">{multiple}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
