// One notification as a link to what it is about; following it marks it as read.
import { Link } from '@tanstack/react-router'

import { useMarkRead, type Notification } from '../../api/reviews'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { noticeHash, noticeText } from './notices'
import { Initials } from './Person'

export function NoticeLine({ notice }: { notice: Notification }) {
  const t = useT()
  const formats = useFormats()
  const read = useMarkRead()
  const hash = noticeHash(notice)
  const unread = notice.read_at === null
  const said = notice.details.text
  return (
    <Link
      to="/reviews/$id"
      params={{ id: notice.review.id }}
      {...(hash && { hash })}
      className={unread ? 'notice unread' : 'notice'}
      onClick={() => unread && read.mutate([notice.id])}
    >
      <Initials person={notice.actor} />
      <span className="grow">
        <span className={unread ? 'strong' : undefined}>{noticeText(notice, t)}</span>{' '}
        <span className="s3">{t('notices.about', { number: notice.review.plan_number, model: notice.review.model })}</span>
        {typeof said === 'string' && said && <span className="cut quoted s2">{said}</span>}
      </span>
      {unread && (
        <span className="dot">
          <span className="sr">{t('notices.unread')}</span>
        </span>
      )}
      <time className="small s3 nowrap" dateTime={notice.created_at}>
        {formats.dateTime(notice.created_at)}
      </time>
    </Link>
  )
}
