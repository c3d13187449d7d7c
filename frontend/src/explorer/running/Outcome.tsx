/** What a search that did not end well says: what happened, why, and what to do next. */
import { Link } from '@tanstack/react-router'

import { errorText } from '../../api/errors'
import { Banner } from '../../components/Banner'
import { buttonClass } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'

export function Outcome() {
  const t = useT()
  const f = useFormats()
  const { search, model, lang } = useExplorer()
  if (search.state === 'failed') {
    const text = search.error ? errorText(search.error, lang) : null
    return (
      <Banner
        tone="bad"
        role="alert"
        title={`${t('explorer.failed.title')}${text ? `: ${text.title}` : ''}`}
        actions={
          <Link className={buttonClass('plain', 's')} to="/models/$id" params={{ id: search.model.id }}>
            {t('explorer.failed.model')}
          </Link>
        }
      >
        {text?.hint} {t(model.plans.length ? 'explorer.failed.next' : 'explorer.failed.again')}
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
          search.pool.id ? (
            <Link className={buttonClass('plain', 's')} to="/pools/$id" params={{ id: search.pool.id }}>
              {t('explorer.no_feasible.pool')}
            </Link>
          ) : undefined
        }
      >
        {Number.isFinite(least) && least > 0
          ? t('explorer.no_feasible.why', { size: f.bytes(least) })
          : t('explorer.no_feasible.why_unknown')}{' '}
        {t('explorer.no_feasible.next')}
      </Banner>
    )
  }
  return null
}
