// The address of one review.
import { useParams } from '@tanstack/react-router'

import { ApiError } from '../../api/errors'
import { failureOf } from '../../api/failure'
import { useReview } from '../../api/reviews'
import { LoadFailed } from '../../components/states'
import { NotFound } from '../Faults'
import { ReviewPage } from './ReviewPage'

export function ReviewRoute() {
  const { id } = useParams({ from: '/reviews/$id' })
  const review = useReview(id)
  if (review.data) return <ReviewPage review={review.data} />
  if (review.error instanceof ApiError && review.error.status === 404) return <NotFound />
  const failure = failureOf(review)
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={review.isPending}>
      {failure ? (
        <LoadFailed error={failure} onRetry={() => void review.refetch()} />
      ) : (
        <div className="stack" aria-hidden="true">
          <span className="bone" style={{ width: '30%', height: 24 }} />
          <span className="bone" style={{ width: '60%' }} />
          <div className="sheet">
            <div className="body stack">
              <span className="bone" style={{ width: '80%' }} />
              <span className="bone" style={{ width: '70%' }} />
              <span className="bone" style={{ width: '40%' }} />
            </div>
          </div>
        </div>
      )}
    </main>
  )
}
