/** What a placement comes to: its figures beside plan A's, where it stands against the front, how it was read. */
import { errorParams } from '../../api/errors'
import { Banner } from '../../components/Banner'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { multiple, scaleFor, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import { OBJECTIVES } from '../types'
import type { EvaluatedPlan } from './types'

const SHOWN = 8

function plans(numbers: readonly number[]): string {
  const listed = numbers.slice(0, SHOWN).join(', ')
  return numbers.length > SHOWN ? `${listed} …` : listed
}

export function PlacementResult({ plan }: { plan: EvaluatedPlan }) {
  const t = useT()
  const f = useFormats()
  const { model, lang } = useExplorer()
  const chosen = model.plans[model.a]
  const multiples = [plan.exec_time_x, plan.energy_x, plan.load_balance_x]
  const { position } = plan
  return (
    <div role="status" data-testid="placement">
      {position && (
        <p>
          {t(`explorer.placement.${position.relation}`, {
            plans: plans(position.relation === 'equal' ? position.equal_to : position.relation === 'dominates' ? position.dominates : position.dominated_by),
          })}
        </p>
      )}
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th>{t('explorer.placement.figure')}</th>
              <th className="num">{t('explorer.placement.this')}</th>
              <th className="num">{t('explorer.placement.multiple')}</th>
              {chosen && <th className="num">{t('explorer.plan.n', { number: chosen.number })}</th>}
            </tr>
          </thead>
          <tbody>
            {OBJECTIVES.map((metric, i) => (
              <tr key={metric} data-metric={metric}>
                <th scope="row">{t(`explorer.metric.${metric}`)}</th>
                <td className="num">{withUnit(plan[metric], scaleFor(metric, plan[metric]), lang)}</td>
                <td className="num">{multiple(multiples[i] ?? 0, lang)}</td>
                {chosen && <td className="num">{withUnit(chosen[metric], model.scales[metric], lang)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {plan.overflow_bytes > 0 && (
        <Banner tone="bad" title={t('explorer.placement.overflow', { size: f.bytes(plan.overflow_bytes) })} />
      )}
      {plan.messages
        .filter((said) => said.code !== 'placement_does_not_fit')
        .map((said) => (
          <p className="small s2" key={said.code}>
            {translateCode('note', said.code, errorParams(said.params), said.code, lang)}
          </p>
        ))}
    </div>
  )
}
