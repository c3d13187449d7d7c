// How far the review is, as a line of steps.
import type { ReviewDetail } from '../../api/reviews'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

interface Step {
  text: string
  look: 'done' | 'now' | 'next'
}

export function StateLine({ review }: { review: ReviewDetail }) {
  const t = useT()
  const formats = useFormats()
  const on = (iso: string | null) => ({ date: iso === null ? '–' : formats.date(iso) })
  const draft = review.state === 'draft'
  const decided = review.state === 'approved' || review.state === 'changes_requested'
  const steps: Step[] = [
    { text: t('review.step.draft'), look: draft ? 'now' : 'done' },
    {
      text: draft ? t('review.step.review') : t('review.step.in_review', on(review.requested_at)),
      look: draft ? 'next' : decided ? 'done' : 'now',
    },
  ]
  if (review.state === 'changes_requested') {
    steps.push({ text: t('review.step.changes_requested', on(review.decided_at)), look: 'now' })
  } else if (review.state === 'approved') {
    const stale = review.standing === 'stale'
    steps.push({ text: t('review.step.approved', on(review.decided_at)), look: stale ? 'done' : 'now' })
    if (stale) steps.push({ text: t('review.step.stale', on(review.stale_since)), look: 'now' })
  } else {
    steps.push({ text: t('review.step.approve'), look: 'next' })
  }
  return (
    <ol className="steps" aria-label={t('review.steps')}>
      {steps.map(({ text, look }) => (
        <li key={text} className={look} aria-current={look === 'now' ? 'step' : undefined}>
          {text}
        </li>
      ))}
    </ol>
  )
}
