// What may be done with the review now; what may not be done says why.
import { useState } from 'react'

import { useDecide, useWithdraw, type ReviewDetail } from '../../api/reviews'
import { toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { Dialog } from '../../components/Dialog'
import { useT } from '../../i18n'
import { RequestButton } from './RequestButton'
import { useReason } from './useReason'

function RequestChanges({ review }: { review: ReviewDetail }) {
  const t = useT()
  const decide = useDecide(review)
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const send = () =>
    decide.mutate(
      { decision: 'changes_requested', comment: text.trim() },
      {
        onSuccess: () => {
          setOpen(false)
          setText('')
          toast(t('review.done.changes_requested'))
        },
      },
    )
  return (
    <>
      <Button disabledReason={useReason(review.may.request_changes)} onClick={() => setOpen(true)}>
        {t('review.requestChanges')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('review.requestChanges')}>
        <div className="dbody stack">
          <p className="read s2">{t('review.changes.text')}</p>
          <label className="sr" htmlFor="what-should-change">
            {t('review.changes.label')}
          </label>
          <textarea
            id="what-should-change"
            className="in"
            rows={4}
            maxLength={10_000}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {decide.error && <ErrorBanner error={decide.error} />}
        </div>
        <div className="dfoot">
          <Button onClick={() => setOpen(false)}>{t('common.cancel')}</Button>
          <Button kind="act" busy={decide.isPending} onClick={send}>
            {t('review.requestChanges')}
          </Button>
        </div>
      </Dialog>
    </>
  )
}

function Withdraw({ review }: { review: ReviewDetail }) {
  const t = useT()
  const withdraw = useWithdraw(review.id)
  const [open, setOpen] = useState(false)
  const confirm = () =>
    withdraw.mutate(undefined, {
      onSuccess: () => {
        setOpen(false)
        toast(t('review.done.withdrawn'))
      },
    })
  return (
    <>
      <Button disabledReason={useReason(review.may.withdraw)} onClick={() => setOpen(true)}>
        {t('review.withdraw')}
      </Button>
      <ConfirmDialog
        open={open}
        title={t('review.withdraw.ask')}
        action={t('review.withdraw')}
        busy={withdraw.isPending}
        error={withdraw.error}
        onConfirm={confirm}
        onClose={() => setOpen(false)}
      >
        {t('review.withdraw.text')}
      </ConfirmDialog>
    </>
  )
}

export function Actions({ review }: { review: ReviewDetail }) {
  const t = useT()
  const decide = useDecide(review)
  const approving = useReason(review.may.approve)
  const outdated = review.reasons.length > 0
  const sending = review.state === 'draft' || review.state === 'changes_requested'
  const approve = () => decide.mutate({ decision: 'approved' }, { onSuccess: () => toast(t('review.done.approved')) })
  return (
    <>
      {review.state !== 'draft' && review.may.withdraw === null && <Withdraw review={review} />}
      {review.state !== 'draft' && <RequestChanges review={review} />}
      {sending && !outdated && review.may.request !== 'permission_denied' && <RequestButton review={review} />}
      <Button
        kind={sending || outdated ? 'plain' : 'act'}
        busy={decide.isPending}
        disabledReason={approving}
        onClick={approve}
      >
        {t('review.approve')}
      </Button>
      {decide.error && (
        <div className="review-refused">
          <ErrorBanner error={decide.error} />
        </div>
      )}
    </>
  )
}
