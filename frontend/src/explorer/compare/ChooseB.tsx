/** Where plan B comes from: this search, or another one of the same model, and which of its plans. */
import { useSearches } from '../../api/queries'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'
import { pick } from '../logic/model'
import { scaleOf, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { Other } from './other'

export function ChooseB({ other }: { other: Other }) {
  const t = useT()
  const poolName = usePoolName()
  const { search, model, state, lang, update } = useExplorer()
  const searches = (useSearches().data?.results ?? []).filter(
    (one) => one.id !== search.id && one.model.id === search.model.id && one.n_plans > 0,
  )
  const { against } = state
  const plans = against === null ? model.plans : (other.foreign?.front.plans ?? [])
  const scale = scaleOf(model.scales, 'exec_time_ms')
  return (
    <div className="xp-choose-b">
      {(searches.length > 0 || against !== null) && (
        <select
          className="in"
          aria-label={t('explorer.compare.from')}
          value={against ?? ''}
          onChange={(event) => update({ b: null, against: event.target.value || null })}
        >
          <option value="">{t('explorer.compare.this_search', { number: search.number })}</option>
          {searches.map((one) => (
            <option key={one.id} value={one.id}>
              {t('explorer.compare.search', { number: one.number, pool: poolName(one.pool.name, one.pool.is_sample) })}
            </option>
          ))}
        </select>
      )}
      <select
        className="in"
        aria-label={t('explorer.compare.plan_b')}
        value={other.plan?.hash ?? ''}
        onChange={(event) => update({ b: pick(plans.find(({ hash }) => hash === event.target.value)), against })}
      >
        {!other.plan && <option value="">–</option>}
        {plans.map((plan) => (
          <option key={plan.hash} value={plan.hash}>
            {`B: ${t('explorer.plan.n', { number: plan.number })} · ${withUnit(plan.exec_time_ms, scale, lang)}`}
          </option>
        ))}
      </select>
    </div>
  )
}
