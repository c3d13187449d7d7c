// Sends the plan for review, after asking who is to be asked.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useRequestReview, type ReviewDetail } from '../../api/reviews'
import { toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button, type ButtonProps } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { CheckField } from '../../components/Field'
import { useT } from '../../i18n'
import { useReason } from './useReason'

export interface RequestButtonProps {
  review: ReviewDetail
  again?: boolean
  size?: ButtonProps['size']
}

export function RequestButton({ review, again = false, size = 'm' }: RequestButtonProps) {
  const t = useT()
  const reason = useReason(review.may.request)
  const request = useRequestReview(review.id)
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set())
  const label = again || review.round > 0 ? t('review.requestAgain') : t('review.request')
  const people = review.may_be_asked
  const start = () => {
    const before = review.reviewers.filter((one) => one.asked).map((one) => one.user.id)
    setAsked(new Set(before.filter((id) => people.some((one) => one.id === id))))
    request.reset()
    setOpen(true)
  }
  const send = () =>
    request.mutate([...asked], {
      onSuccess: () => {
        setOpen(false)
        toast(t('review.done.requested'))
      },
    })
  const toggle = (id: string, on: boolean) => {
    const next = new Set(asked)
    if (on) next.add(id)
    else next.delete(id)
    setAsked(next)
  }
  return (
    <>
      <Button kind="act" size={size} disabledReason={reason} onClick={start}>
        {label}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('review.ask.title')}>
        <div className="dbody stack">
          {people.length === 0 ? (
            <p className="read s2">
              {t('review.ask.nobody')} <Link to="/team">{t('review.team')}</Link>
            </p>
          ) : (
            <>
              <fieldset className="checks">
                <legend className="sr">{t('review.ask.title')}</legend>
                {people.map((one) => (
                  <CheckField
                    key={one.id}
                    label={one.name}
                    checked={asked.has(one.id)}
                    onChange={(on) => toggle(one.id, on)}
                  />
                ))}
              </fieldset>
              <p className="read small s3">{t('review.ask.text')}</p>
            </>
          )}
          {request.error && <ErrorBanner error={request.error} />}
        </div>
        <div className="dfoot">
          <Button onClick={() => setOpen(false)}>{t('common.cancel')}</Button>
          <Button kind="act" busy={request.isPending} onClick={send}>
            {label}
          </Button>
        </div>
      </Dialog>
    </>
  )
}
