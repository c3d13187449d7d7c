// The review of plan A on the explorer's plan card: its state, or the way to open one.
import { Link, useNavigate } from '@tanstack/react-router'

import { useSession } from '../../api/queries'
import { useOpenReview, useReviewsOfSearch } from '../../api/reviews'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { StandingChip } from './StandingChip'

export interface ReviewButtonProps {
  search: string
  plan: { number: number; hash: string }
  /** Whether the search still runs, so that its plans may yet change. */
  running: boolean
}

export function ReviewButton({ search, plan, running }: ReviewButtonProps) {
  const t = useT()
  const navigate = useNavigate()
  const { data: session } = useSession()
  const reviews = useReviewsOfSearch(search)
  const open = useOpenReview()
  const review = reviews.data?.results.find((one) => one.plan_hash === plan.hash)
  if (review) {
    const name = t('review.open', { number: plan.number, model: review.search.model })
    return (
      <Link className="review-link" to="/reviews/$id" params={{ id: review.id }} aria-label={name} title={name}>
        <StandingChip standing={review.standing} />
      </Link>
    )
  }
  const may = session?.permissions.includes('comment') ?? false
  const reason = running ? t('review.card.running') : may ? null : t('review.card.notAllowed')
  const start = () =>
    open.mutate(
      { search, plan: plan.number, hash: plan.hash },
      { onSuccess: ({ id }) => void navigate({ to: '/reviews/$id', params: { id } }) },
    )
  return (
    <>
      <Button size="s" busy={open.isPending} disabledReason={reason} onClick={start}>
        {t('review.card')}
      </Button>
      {open.error && <ErrorBanner error={open.error} />}
    </>
  )
}
