// The review of plan A on the explorer's plan card: its state, or the way to open one.
import { Link, useNavigate } from '@tanstack/react-router'

import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { StandingChip } from './StandingChip'
import { useStartReview } from './useStartReview'

export interface ReviewButtonProps {
  search: string
  plan: { number: number; hash: string }
  /** Whether the search still runs, so that its plans may yet change. */
  running: boolean
}

export function ReviewButton({ search, plan, running }: ReviewButtonProps) {
  const t = useT()
  const navigate = useNavigate()
  const { review, reason, busy, error, start } = useStartReview(search, plan, running)
  if (review) {
    const name = t('review.open', { number: plan.number, model: review.search.model })
    return (
      <Link className="review-link" to="/reviews/$id" params={{ id: review.id }} aria-label={name} title={name}>
        <StandingChip standing={review.standing} />
      </Link>
    )
  }
  const go = (id: string) => void navigate({ to: '/reviews/$id', params: { id } })
  return (
    <>
      <Button size="s" busy={busy} disabledReason={reason} onClick={() => start(go)}>
        {t('review.card')}
      </Button>
      {error && <ErrorBanner error={error} />}
    </>
  )
}
