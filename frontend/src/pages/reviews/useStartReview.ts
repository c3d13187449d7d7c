// The review of a plan: the one that there is, or what opens it and why it may not be opened.
import { useSession } from '../../api/queries'
import { useOpenReview, useReviewsOfSearch } from '../../api/reviews'
import { useT } from '../../i18n'

export function useStartReview(search: string, plan: { number: number; hash: string }, running: boolean) {
  const t = useT()
  const { data: session } = useSession()
  const reviews = useReviewsOfSearch(search)
  const open = useOpenReview()
  const may = session?.permissions.includes('comment') ?? false
  return {
    review: reviews.data?.results.find((one) => one.plan_hash === plan.hash),
    reason: running ? t('review.card.running') : may ? null : t('review.card.notAllowed'),
    busy: open.isPending,
    error: open.error,
    start: (then: (id: string) => void) =>
      open.mutate({ search, plan: plan.number, hash: plan.hash }, { onSuccess: ({ id }) => then(id) }),
  }
}
