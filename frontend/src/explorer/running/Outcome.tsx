/** What a search that did not end well says: what happened, why, and what to do next. */
import { Link, useRouter } from '@tanstack/react-router'

import { errorText } from '../../api/errors'
import { Banner } from '../../components/Banner'
import { Button, buttonClass } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { INITIAL, writeAddress } from '../logic/address'
import { scaleOf, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'

/** Where a search was told too much to find a plan: the way back to the one that it started from, pins and all. */
function useWayBack() {
  const t = useT()
  const router = useRouter()
  const { search, state } = useExplorer()
  const steered = Object.keys(search.settings.pins).length > 0 || search.settings.forbidden_devices.length > 0
  const from = search.warm_start
  if (!steered || !from) return { said: '', button: null }
  const query = writeAddress({ ...INITIAL, weights: state.weights, bounds: state.bounds, pins: state.pins, forbidden: state.forbidden })
  return {
    said: t('explorer.steer.failed', { number: from.number }),
    button: (
      <Button size="s" onClick={() => router.history.push(`/searches/${from.id}${query ? `?${query}` : ''}`)}>
        {t('explorer.steer.back', { number: from.number })}
      </Button>
    ),
  }
}

export function Outcome() {
  const t = useT()
  const { search, model, lang } = useExplorer()
  const back = useWayBack()
  if (search.state === 'failed') {
    const text = search.error ? errorText(search.error, lang) : null
    return (
      <Banner
        tone="bad"
        role="alert"
        title={`${t('explorer.failed.title')}${text ? `: ${text.title}` : ''}`}
        actions={
          back.button ?? (
            <Link className={buttonClass('plain', 's')} to="/models/$id" params={{ id: search.model.id }}>
              {t('explorer.failed.model')}
            </Link>
          )
        }
      >
        {text?.hint} {back.said || t(model.plans.length ? 'explorer.failed.next' : 'explorer.failed.again')}
      </Banner>
    )
  }
  if (search.state === 'no_feasible') {
    return <NoneFits back={back} />
  }
  return null
}

type Back = ReturnType<typeof useWayBack>

/** No plan fits: which memory the nearest exceeds, or else which bound of the search it misses, and where to change that. */
function NoneFits({ back }: { back: Back }) {
  const t = useT()
  const f = useFormats()
  const names = useNames()
  const { search, model, lang } = useExplorer()
  const of = (code: string) => model.front.messages.filter((one) => one.code === code).map(({ params }) => params)
  const comma = t('list.comma')
  const exceeded = of('memory_exceeded').map(({ devices, peak_bytes, limit_bytes, overflow_bytes }) =>
    t('explorer.no_feasible.memory', {
      devices: (devices as string[]).join(comma),
      size: f.bytes(Number(overflow_bytes)),
      peak: f.bytes(Number(peak_bytes)),
      limit: f.bytes(Number(limit_bytes)),
    }),
  )
  const missed = of('constraint_missed').map(({ objective, end, bound, value }) => {
    const key = String(objective)
    const said = (amount: unknown) => names.amount(key, withUnit(Number(amount), scaleOf(model.scales, key), lang))
    return t(end === 'max' ? 'explorer.no_feasible.above' : 'explorer.no_feasible.below', { metric: names.inline(key), value: said(value), bound: said(bound) })
  })
  const [nearest] = model.front.plans
  const kind = exceeded.length ? 'memory' : missed.length ? 'bounds' : nearest?.overflow_bytes === 0 ? 'cap' : 'memory'
  const pool = kind === 'memory' ? search.pool.id : null
  const why = [...exceeded, ...missed].join(t('explorer.no_feasible.and'))
  return (
    <Banner
      tone="bad"
      role="alert"
      title={t(kind === 'memory' ? 'explorer.no_feasible.title' : kind === 'bounds' ? 'explorer.no_feasible.title.bounds' : 'explorer.no_feasible.title.cap')}
      actions={
        back.button ??
        (pool ? (
          <Link className={buttonClass('plain', 's')} to="/pools/$id" params={{ id: pool }}>
            {t('explorer.no_feasible.pool')}
          </Link>
        ) : (
          <Link className={buttonClass('plain', 's')} to="/models/$id" params={{ id: search.model.id }}>
            {t('explorer.no_feasible.model')}
          </Link>
        ))
      }
    >
      {why && t('explorer.no_feasible.nearest', { number: nearest?.number ?? 1, why })}{' '}
      {back.said || t(kind === 'memory' ? 'explorer.no_feasible.next' : 'explorer.no_feasible.next.bounds')}
    </Banner>
  )
}
