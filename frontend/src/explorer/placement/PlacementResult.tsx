/** What a placement comes to: its figures beside plan A's, where it stands against the front, how it was read. */
import { errorParams } from '../../api/errors'
import { Banner } from '../../components/Banner'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { planValue } from '../logic/model'
import { multiple, scaleFor, scaleOf, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { EvaluatedPlan } from './types'

const SHOWN = 8

function plans(numbers: readonly number[]): string {
  const listed = numbers.slice(0, SHOWN).join(', ')
  return numbers.length > SHOWN ? `${listed} …` : listed
}

export function PlacementResult({ plan }: { plan: EvaluatedPlan }) {
  const t = useT()
  const f = useFormats()
  const names = useNames()
  const { model, lang } = useExplorer()
  const chosen = model.plans[model.a]
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
            {model.figures.map(({ key, unit, direction }) => {
              const value = plan.values[key] ?? Number.NaN
              const times = plan.multiples[key] ?? Number.NaN
              return (
                <tr key={key} data-metric={key}>
                  <th scope="row">{names.sourced(key)}</th>
                  <td className="num">{withUnit(value, scaleFor(key, value, unit), lang)}</td>
                  {/* What is maximised is counted as reference / value. */}
                  <td className="num">{multiple(direction === 'max' ? 1 / times : times, lang)}</td>
                  {chosen && <td className="num">{withUnit(planValue(model, model.a, key), scaleOf(model.scales, key), lang)}</td>}
                </tr>
              )
            })}
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
