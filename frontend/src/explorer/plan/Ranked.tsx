/** The best plans by score, or by distance to the bounds when none passes: as many whole rows as there is room. */
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { PlanMark } from '../../components/marks'
import { planValue } from '../logic/model'
import { figure, fixed, scaleOf } from '../logic/scales'
import { useExplorer, useHovered } from '../state/context'
import { useSize } from '../../drawing/use-size'
import { useNames } from '../state/names'

const ROW = 24
const HEAD = 26
const MOST = 40

export function Ranked() {
  const t = useT()
  const names = useNames()
  const { model, lang, hover, setA, setB } = useExplorer()
  const hovered = useHovered()
  const [ref, { height }] = useSize()
  const { ranked, scores, nPassing } = model.selection
  const room = Math.floor((height - HEAD) / ROW)
  const rows = ranked.slice(0, Math.min(MOST, Math.max(0, room)))
  return (
    <div className="xp-ranked" ref={ref}>
      {rows.length > 0 && (
        <table aria-label={t(nPassing ? 'explorer.ranked' : 'explorer.ranked.violation')}>
          <thead>
            <tr>
              <th>{t('explorer.plan.short')}</th>
              <th className="num">{t('explorer.ranked.score')}</th>
              {model.figures.map(({ key }) => (
                <th key={key} className="num" title={names.name(key)}>
                  {scaleOf(model.scales, key).unit || (key === 'load_balance' ? t('explorer.ranked.balance') : names.name(key))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((index) => {
              const plan = model.plans[index]
              if (!plan) return null
              return (
                <tr
                  key={plan.hash}
                  aria-selected={index === model.a}
                  className={index === hovered ? 'xp-hovered' : undefined}
                  onPointerEnter={() => hover.set(index)}
                  onPointerLeave={() => hover.set(-1)}
                  onClick={(event) => (event.shiftKey ? setB : setA)(index)}
                >
                  <td>
                    <span className="xp-ranked-plan">
                      {index === model.a ? <PlanMark plan="A" /> : index === model.b ? <PlanMark plan="B" /> : <i />}
                      <button type="button" className="xp-link" aria-label={t('explorer.plan.n', { number: plan.number })}>
                        {plan.number}
                      </button>
                    </span>
                  </td>
                  <td className="num">{fixed(scores[index] ?? 0, 3, LOCALES[lang])}</td>
                  {model.figures.map(({ key }) => (
                    <td key={key} className="num">
                      {figure(planValue(model, index, key), scaleOf(model.scales, key), lang)}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </div>
  )
}
