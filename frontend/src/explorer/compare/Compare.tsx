/** Plans A and B side by side: figures, both timelines on one axis or the graph's difference, and what moved where. */
import { Button } from '../../components/Button'
import { PlanMark } from '../../components/marks'
import { Segmented } from '../../components/Segmented'
import { LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { columnOf } from '../logic/measures'
import { planValue } from '../logic/model'
import { figure, scaleOf, signed } from '../logic/scales'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import { swapPlans } from '../state/step'
import type { PlanDetail } from '../types'
import { useWork } from '../whatif/what-if'
import { Tools } from '../work/Tools'
import { ChooseB } from './ChooseB'
import { Difference } from './Difference'
import { Moved } from './Moved'
import { type Other, useOther } from './other'
import { TwoTimelines } from './TwoTimelines'

type Middle = 'timelines' | 'graph'

export function Compare({ a }: { a: PlanDetail }) {
  const t = useT()
  const explorer = useExplorer()
  const { model, state, update } = explorer
  const middle: Middle = state.difference ? 'graph' : 'timelines'
  const other = useOther()
  const b = other.detail
  const isOne = state.against === null && (model.b < 0 || model.a === model.b)
  return (
    <div className="xp-compare">
      <Tools>
        <Segmented
          label={t('explorer.compare.view')}
          value={middle}
          options={[
            { value: 'timelines', label: t('explorer.compare.timelines') },
            { value: 'graph', label: t('explorer.compare.graph') },
          ]}
          onChange={(next) => update({ difference: next === 'graph' })}
        />
        <Button
          kind="quiet"
          size="s"
          icon="swap"
          disabledReason={state.against !== null ? t('explorer.compare.swap_off') : false}
          onClick={() => swapPlans(explorer)}
          aria-label={t('explorer.compare.swap')}
        >
          A ⇄ B
        </Button>
      </Tools>
      <div className="xp-compare-part">
        <ChooseB other={other} />
        {isOne ? <p className="xp-work-note s3">{t('explorer.compare.need')}</p> : <FigureTable a={a} other={other} />}
      </div>
      {isOne ? null : b ? (
        <>
          {middle === 'timelines' ? <TwoTimelines a={a} b={b} devicesB={other.devices} /> : <Difference a={a} b={b} devicesB={other.devices} />}
          <Moved a={a} b={b} devicesB={other.devices} />
        </>
      ) : (
        <div className="xp-work-note">
          {other.error ? <LoadFailed error={other.error} onRetry={other.retry} /> : <p className="s3">{t('explorer.work.loading')}</p>}
        </div>
      )}
    </div>
  )
}

function FigureTable({ a, other }: { a: PlanDetail; other: Other }) {
  const t = useT()
  const names = useNames()
  const { model, lang } = useExplorer()
  const { whatIf } = useWork()
  const { plan } = other
  if (!plan) return null
  // A is what the work pane shows: a what-if too.
  const mine = (key: string) => (whatIf?.tried ? (a.values[key] ?? Number.NaN) : planValue(model, model.a, key))
  const theirs = (key: string) =>
    other.foreign ? (plan.values[key] ?? basic(plan, key)) : (columnOf(model.table, key)[model.b] ?? Number.NaN)
  return (
    <table aria-label={t('explorer.compare.figures')}>
      <thead>
        <tr>
          <th>{t('explorer.compare.figures')}</th>
          <th className="num">
            <PlanMark plan="A" /> {model.plans[model.a]?.number}
            {whatIf?.tried && '*'}
          </th>
          <th className="num">
            <PlanMark plan="B" /> {plan.number}
          </th>
          <th className="num">{t('explorer.compare.diff')}</th>
        </tr>
      </thead>
      <tbody>
        {model.table.measures.map(({ key }) => {
          const scale = scaleOf(model.scales, key)
          return (
            <tr key={key} data-metric={key}>
              <td className="nowrap">
                {names.sourced(key)} <span className="s3">{scale.unit}</span>
              </td>
              <td className="num strong">{figure(mine(key), scale, lang)}</td>
              <td className="num">{figure(theirs(key), scale, lang)}</td>
              <td className="num s2">{signed(mine(key) - theirs(key), scale, lang)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** Figures that a plan of another search has beside its measures. */
function basic(plan: object, key: string): number {
  const value = (plan as Record<string, unknown>)[key]
  return typeof value === 'number' ? value : Number.NaN
}
