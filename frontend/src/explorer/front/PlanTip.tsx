/** Tooltip of the plan under the pointer: number, three figures with multiples, rank. */
import { useT } from '../../i18n'
import { figure, multiple } from '../logic/scales'
import { useExplorer } from '../state/context'
import { OBJECTIVES } from '../types'

export function PlanTip({ index, x, y, width }: { index: number; x: number; y: number; width: number }) {
  const t = useT()
  const { model, lang } = useExplorer()
  const plan = model.plans[index]
  if (!plan) return null
  const rank = model.selection.nPassing ? model.selection.ranked.indexOf(index) : -1
  const multiples = [plan.exec_time_x, plan.energy_x, plan.load_balance_x]
  const right = x > width - 210
  return (
    <div className="xp-tip" style={{ left: x, top: y, translate: right ? 'calc(-100% - 14px) -50%' : '14px -50%' }}>
      <b>{t('explorer.plan.n', { number: plan.number })}</b>{' '}
      <span className="s3">
        {rank >= 0
          ? t('explorer.rank', { rank: rank + 1, count: model.selection.nPassing })
          : t('explorer.legend.removed')}
      </span>
      <dl>
        {OBJECTIVES.map((metric, i) => (
          <div key={metric}>
            <dt>{t(`explorer.metric.${metric}`)}</dt>
            <dd>
              {figure(plan[metric], model.scales[metric], lang)} {model.scales[metric].unit}
            </dd>
            <dd className="s3">{multiple(multiples[i] ?? 0, lang)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
