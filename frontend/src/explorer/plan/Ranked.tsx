/** The best plans by score, or by distance to the bounds when none passes: as many whole rows as there is room. */
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { PlanMark } from '../../components/marks'
import { type Model, planValue } from '../logic/model'
import { figure, fixed, scaleOf } from '../logic/scales'
import { useExplorer, useIsHovered } from '../state/context'
import { useSize } from '../../drawing/use-size'
import { useNames } from '../state/names'

const ROW = 24
const HEAD = 26
const MOST = 40

export function Ranked() {
  const t = useT()
  const names = useNames()
  const { model } = useExplorer()
  const [ref, { height }] = useSize()
  const { ranked, nPassing } = model.selection
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
                <th key={key} className="num" title={names.sourced(key)}>
                  {scaleOf(model.scales, key).unit || (key === 'load_balance' ? t('explorer.ranked.balance') : names.name(key))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((index) => (
              <RankedRow key={model.plans[index]?.hash ?? index} index={index} mark={index === model.a ? 'A' : index === model.b ? 'B' : null} model={model} />
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

function RankedRow({ index, mark, model }: { index: number; mark: 'A' | 'B' | null; model: Model }) {
  const t = useT()
  const { lang, hover, setA, setB } = useExplorer()
  const isHovered = useIsHovered(index)
  const plan = model.plans[index]
  if (!plan) return null
  return (
    <tr
      aria-selected={mark === 'A'}
      className={isHovered ? 'xp-hovered' : undefined}
      onPointerEnter={() => hover.set(index)}
      onPointerLeave={() => hover.set(-1)}
      onClick={(event) => (event.shiftKey ? setB : setA)(index)}
    >
      <td>
        <span className="xp-ranked-plan">
          {mark ? <PlanMark plan={mark} /> : <i />}
          <button type="button" className="xp-link" aria-label={t('explorer.plan.n', { number: plan.number })}>
            {plan.number}
          </button>
        </span>
      </td>
      <td className="num">{fixed(model.selection.scores[index] ?? 0, 3, LOCALES[lang])}</td>
      {model.figures.map(({ key }) => (
        <td key={key} className="num">
          {figure(planValue(model, index, key), scaleOf(model.scales, key), lang)}
        </td>
      ))}
    </tr>
  )
}
