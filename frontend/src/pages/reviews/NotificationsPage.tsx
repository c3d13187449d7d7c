// Everything that the reader was told, newest first.
import { Link } from '@tanstack/react-router'

import { useTitle } from '../../app/title'
import { useMarkRead, useNotifications } from '../../api/reviews'
import { Button } from '../../components/Button'
import { Empty, LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { NoticeLine } from './NoticeLine'

export function NotificationsPage() {
  const t = useT()
  const notices = useNotifications()
  const read = useMarkRead()
  useTitle(t('notices.title'))
  const rows = notices.data?.results
  const unread = rows?.some((one) => one.read_at === null) ?? false
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={notices.isPending}>
      {rows?.length === 0 ? (
        <Empty
          title={t('notices.none')}
          actions={
            <Link className="btn" to="/reviews">
              {t('notices.toReviews')}
            </Link>
          }
        >
          <p>{t('notices.noneText')}</p>
        </Empty>
      ) : (
        <>
          <div className="pagehead">
            <h1>{t('notices.title')}</h1>
            <div className="r">
              {unread && (
                <Button busy={read.isPending} onClick={() => read.mutate(undefined)}>
                  {t('notices.readAll')}
                </Button>
              )}
            </div>
          </div>
          {notices.error && !rows && <LoadFailed error={notices.error} onRetry={() => void notices.refetch()} />}
          <ul className="sheet notices">
            {rows?.map((one) => (
              <li key={one.id}>
                <NoticeLine notice={one} />
              </li>
            ))}
          </ul>
        </>
      )}
    </main>
  )
}
