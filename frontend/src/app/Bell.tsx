// The bell of the bar: how much is unread, and the way to it.
import { Link } from '@tanstack/react-router'

import { useSession } from '../api/queries'
import { useUnread } from '../api/reviews'
import { Icon } from '../components/icons'
import { useT } from '../i18n'

const MOST_SHOWN = 99

export function Bell() {
  const t = useT()
  const { data: session } = useSession()
  const signedIn = Boolean(session?.user && session.team)
  const unread = useUnread(signedIn).data?.unread ?? 0
  if (!signedIn) return null
  return (
    <Link to="/notifications" className="btn quiet icon bell" aria-label={t('notices.open', { n: unread })}>
      <Icon name="bell" />
      {unread > 0 && <span className="count">{unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}</span>}
    </Link>
  )
}
