// One thread: what it is about, its comments, answer, resolve.
import { useState } from 'react'

import { useReply, useResolve, type ReviewDetail, type Thread } from '../../api/reviews'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Icon } from '../../components/icons'
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { CommentItem } from './CommentItem'
import { Composer } from './Composer'
import { explorerAddress } from './links'
import { useReason } from './useReason'

function AnchorLine({ thread, review }: { thread: Thread; review: ReviewDetail }) {
  const t = useT()
  const formats = useFormats()
  const { anchor } = thread
  const device = review.devices.find((one) => one.name === anchor.device)
  const range =
    anchor.start_ms !== null && anchor.end_ms !== null
      ? t('review.range', { start: formats.figure(anchor.start_ms, 4), end: formats.figure(anchor.end_ms, 4) })
      : ''
  const words = [anchor.operator_name || (anchor.kind === 'operator' ? '' : anchor.device), range].filter(Boolean).join(', ')
  return (
    <span className="on">
      <span className="s3">{t(`review.on.${anchor.kind}`)}</span>
      {device && <DeviceTag device={device} />}
      {words && (
        <a href={explorerAddress(review, anchor)} className="cut">
          {words}
        </a>
      )}
    </span>
  )
}

export function ThreadItem({ thread, review }: { thread: Thread; review: ReviewDetail }) {
  const t = useT()
  const reply = useReply(thread.id)
  const resolve = useResolve(thread.id)
  const [answering, setAnswering] = useState(false)
  const reason = useReason(review.may.comment)
  const resolved = thread.resolved_at !== null
  return (
    <article className={resolved ? 'thread resolved' : 'thread'} id={`thread-${thread.id}`}>
      <div className="row">
        <AnchorLine thread={thread} review={review} />
        <span className="grow" />
        {resolved && (
          <span className="row small s3">
            <Icon name="check" size={14} />
            {t('review.resolvedBy', { name: thread.resolved_by?.name ?? t('review.somebody') })}
          </span>
        )}
        <Button
          kind="quiet"
          size="s"
          busy={resolve.isPending}
          disabledReason={reason}
          onClick={() => resolve.mutate(!resolved)}
        >
          {resolved ? t('review.reopen') : t('review.resolve')}
        </Button>
      </div>
      {thread.comments.map((comment) => (
        <CommentItem key={comment.id} comment={comment} />
      ))}
      <div className="answer">
        {answering ? (
          <Composer
            label={t('review.reply.label')}
            action={t('review.reply')}
            busy={reply.isPending}
            autoFocus
            onSend={(body) => reply.mutate(body, { onSuccess: () => setAnswering(false) })}
            onCancel={() => setAnswering(false)}
          />
        ) : (
          <Button size="s" disabledReason={reason} onClick={() => setAnswering(true)}>
            {t('review.reply')}
          </Button>
        )}
        {(reply.error ?? resolve.error) && <ErrorBanner error={reply.error ?? resolve.error} />}
      </div>
    </article>
  )
}
