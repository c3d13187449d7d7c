// The way from a stretch of time or a lane in the explorer to a new thread of the plan's review about it.
import { useNavigate } from '@tanstack/react-router'

import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { useStartReview } from './useStartReview'

export interface CommentOnRangeProps {
  search: string
  plan: { number: number; hash: string }
  running: boolean
  place: { device: string | null; span: { from: number; to: number } | null }
}

/** Milliseconds as the fields of a thread show them: no digit that no clock has. */
function ms(value: number): string {
  return String(Number(value.toPrecision(7)))
}

export function CommentOnRange({ search, plan, running, place: { device, span } }: CommentOnRangeProps) {
  const t = useT()
  const navigate = useNavigate()
  const { review, reason, busy, error, start } = useStartReview(search, plan, running)
  const go = (id: string) =>
    void navigate({
      to: '/reviews/$id',
      params: { id },
      search: {
        about: span ? 'range' : 'lane',
        ...(device !== null && { device }),
        ...(span && { start: ms(span.from), end: ms(span.to) }),
      },
    })
  return (
    <>
      <Button
        size="s"
        busy={busy}
        disabledReason={review ? null : reason}
        onClick={() => (review ? go(review.id) : start(go))}
      >
        {t(span ? 'review.card.range' : 'review.card.lane')}
      </Button>
      {error && <ErrorBanner error={error} />}
    </>
  )
}
