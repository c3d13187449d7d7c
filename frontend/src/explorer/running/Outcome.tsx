/** What a search that did not end well says: what happened, why, and what to do next. */
import { Link, useRouter } from '@tanstack/react-router'

import { errorText } from '../../api/errors'
import { Banner } from '../../components/Banner'
import { Button, buttonClass } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { INITIAL, writeAddress } from '../logic/address'
import { useExplorer } from '../state/context'

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
  const f = useFormats()
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
    const least = model.plans.reduce((size, plan) => Math.min(size, plan.overflow_bytes), Infinity)
    return (
      <Banner
        tone="bad"
        role="alert"
        title={t('explorer.no_feasible.title')}
        actions={
          back.button ??
          (search.pool.id ? (
            <Link className={buttonClass('plain', 's')} to="/pools/$id" params={{ id: search.pool.id }}>
              {t('explorer.no_feasible.pool')}
            </Link>
          ) : undefined)
        }
      >
        {Number.isFinite(least) && least > 0
          ? t('explorer.no_feasible.why', { size: f.bytes(least) })
          : t('explorer.no_feasible.why_unknown')}{' '}
        {back.said || t('explorer.no_feasible.next')}
      </Banner>
    )
  }
  return null
}
