// What happened to the review, newest first.
import type { HistoryEvent, Reason, ReviewDetail } from '../../api/reviews'
import { useFormats } from '../../format/numbers'
import { useT, type Translate } from '../../i18n'
import { reasonText } from './reasons'

const KINDS = ['opened', 'requested', 'withdrawn', 'approved', 'changes_requested', 'resolved', 'reopened'] as const

function eventText(event: HistoryEvent, t: Translate, date: (iso: string) => string): string {
  if (event.kind === 'stale') return reasonText(event.details as unknown as Reason, t, date)
  const kind = KINDS.find((one) => one === event.kind)
  return kind ? t(`review.event.${kind}`, { name: event.user?.name ?? t('review.somebody') }) : event.kind
}

export function History({ review }: { review: ReviewDetail }) {
  const t = useT()
  const formats = useFormats()
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('review.history')}</h2>
      </div>
      <ol className="history small">
        {[...review.history].reverse().map((event, index) => (
          <li key={index}>
            <time className="nowrap" dateTime={event.at}>
              {formats.dateTime(event.at)}
            </time>
            <span className="s2">{eventText(event, t, formats.date)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
