// The review of one plan: what made it stale first, then its state, figures, threads, reviewers, changes, history.
import { BarContent } from '../../app/bar'
import type { ReviewDetail } from '../../api/reviews'
import { useTitle } from '../../app/title'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'
import { Actions } from './Actions'
import { Changes } from './Changes'
import { Figures } from './Figures'
import { History } from './History'
import { explorerAddress } from './links'
import { Reviewers } from './Reviewers'
import { StaleBanner } from './StaleBanner'
import { StandingChip } from './StandingChip'
import { StateLine } from './StateLine'
import { Threads } from './Threads'

export function ReviewPage({ review }: { review: ReviewDetail }) {
  const t = useT()
  const poolName = usePoolName()
  const plan = { number: review.plan_number, model: review.search.model }
  useTitle(t('review.open', plan))
  return (
    <main className="page review" id="main" tabIndex={-1}>
      <BarContent crumbs={[{ label: t('reviews.title'), to: '/reviews' }, { label: t('review.crumb', plan) }]} />
      <StaleBanner review={review} />
      <div className="pagehead">
        <div>
          <div className="row wrap">
            <h1>{t('review.title', { number: review.plan_number })}</h1>
            <StandingChip standing={review.standing} />
          </div>
          <p className="sub">
            {t('review.about', { model: review.search.model, pool: poolName(review.search.pool, review.search.pool_is_sample), search: review.search.number })}
            {' · '}
            <span className="mono">{t('review.hash', { hash: review.plan_hash.slice(0, 10) })}</span>
          </p>
        </div>
        <div className="r">
          <a className="btn" href={explorerAddress(review)}>
            {t('review.explorer')}
          </a>
          <Actions review={review} />
        </div>
      </div>
      <StateLine review={review} />
      <Figures review={review} />
      <div className="cols review-cols">
        <Threads review={review} />
        <aside className="review-side">
          <Reviewers review={review} />
          <Changes review={review} />
          <History review={review} />
        </aside>
      </div>
    </main>
  )
}
