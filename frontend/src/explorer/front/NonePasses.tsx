/** No plan meets every bound: the nearest one, by how much it misses, and two ways out. */
import { Banner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { withBound } from '../logic/address'
import { planValue } from '../logic/model'
import { type Scale, scaleOf, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'

/** The value rounded away from the bound in display units, so that the plan surely passes. */
export function relaxed(value: number, side: 'min' | 'max', scale: Scale): number {
  const step = 10 ** scale.decimals
  const shown = value * scale.factor * step
  const round = side === 'max' ? Math.ceil(shown - 1e-9) : Math.floor(shown + 1e-9)
  const limit = Number((round / step / scale.factor).toPrecision(12))
  return side === 'max' ? Math.max(limit, value) : Math.min(limit, value)
}

export function NonePasses() {
  const t = useT()
  const names = useNames()
  const { model, state, lang, setA, update } = useExplorer()
  const { nearest, violations } = model.selection
  const plan = nearest === null ? undefined : model.plans[nearest]
  const first = violations[0]
  if (nearest === null || !plan || !first) return null
  const misses = violations
    .map(({ metric, side, amount }) =>
      t(side === 'max' ? 'explorer.none.over' : 'explorer.none.under', {
        metric: names.inline(metric),
        amount: names.amount(metric, withUnit(amount, scaleOf(model.scales, metric), lang)),
      }),
    )
    .join(LOCALES[lang].startsWith('zh') ? '，' : ', ')
  const scale = scaleOf(model.scales, first.metric)
  const limit = relaxed(planValue(model, nearest, first.metric), first.side, scale)
  const bound = state.bounds[first.metric] ?? { min: null, max: null }
  return (
    <Banner
      tone="warn"
      role="status"
      title={t('explorer.none.title')}
      actions={
        <>
          <Button size="s" aria-pressed={model.picked && model.a === nearest} onClick={() => setA(nearest)}>
            {t('explorer.none.use')}
          </Button>
          <Button
            size="s"
            onClick={() => update({ bounds: withBound(state.bounds, first.metric, { ...bound, [first.side]: limit }) })}
          >
            {t('explorer.none.relax', { metric: names.inline(first.metric), value: names.amount(first.metric, withUnit(limit, scale, lang)) })}
          </Button>
        </>
      }
    >
      {t('explorer.none.nearest', { number: plan.number, misses })}
    </Banner>
  )
}
