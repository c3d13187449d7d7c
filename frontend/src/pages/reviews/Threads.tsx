// The threads of a review and the field for a new one.
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useOpenThread, type AnchorAsked, type ReviewDetail } from '../../api/reviews'
import { ErrorBanner } from '../../components/Banner'
import { Segmented } from '../../components/Segmented'
import { useT } from '../../i18n'
import { AnchorFields, INITIAL_ANCHOR, readAnchor, type AnchorDraft } from './AnchorFields'
import { askedAnchor } from './asked'
import { Composer } from './Composer'
import { ThreadItem } from './ThreadItem'
import { useReason } from './useReason'

export function Threads({ review }: { review: ReviewDetail }) {
  const t = useT()
  const [shown, setShown] = useState<'open' | 'all'>('open')
  const asked = useSearch({ from: '/reviews/$id' })
  const [draft, setDraft] = useState<AnchorDraft>(() => ({ ...INITIAL_ANCHOR, ...askedAnchor(asked) }))
  const [wrong, setWrong] = useState(false)
  const open = useOpenThread(review.id)
  const reason = useReason(review.may.comment)
  const threads = shown === 'open' ? review.threads.filter((one) => one.resolved_at === null) : review.threads
  const counts = { open: review.n_open_threads, resolved: review.n_threads - review.n_open_threads }
  const say = (body: string, done: () => void) => {
    const anchor: AnchorAsked | null = readAnchor(draft)
    setWrong(anchor === null)
    if (anchor === null) return
    open.mutate(
      { anchor, body },
      {
        onSuccess: () => {
          setDraft(INITIAL_ANCHOR)
          done()
        },
      },
    )
  }
  return (
    <section className="sheet threads" id="threads">
      <div className="head">
        <h2>{t('review.threads')}</h2>
        {review.n_threads > 0 && <span className="small s3">{t('review.threads.count', counts)}</span>}
        <span className="r">
          <Segmented
            label={t('review.threads.filter')}
            value={shown}
            options={[
              { value: 'open', label: t('review.threads.open') },
              { value: 'all', label: t('review.threads.all') },
            ]}
            onChange={setShown}
          />
        </span>
      </div>
      {threads.map((thread) => (
        <ThreadItem key={thread.id} thread={thread} review={review} />
      ))}
      {threads.length === 0 && (
        <p className="s2 small no-threads">
          {review.n_threads === 0 ? t('review.threads.first') : t('review.threads.none')}
        </p>
      )}
      <div className="new-thread">
        <Composer
          label={t('review.comment.label')}
          action={t('review.comment')}
          busy={open.isPending}
          disabledReason={reason}
          above={<AnchorFields review={review} draft={draft} wrong={wrong} onChange={setDraft} />}
          autoFocus={asked.about !== undefined}
          onSend={say}
        />
        {open.error && <ErrorBanner error={open.error} />}
      </div>
    </section>
  )
}
