// The explorer of one search: reads the search and its front, follows them live, and shows what is missing.
import { Link } from '@tanstack/react-router'

import { ApiError } from '../api/errors'
import { failureOf } from '../api/failure'
import { useFront, useSearch } from '../api/queries'
import { isFinal, useSearchEvents } from '../api/useSearchEvents'
import { useTitle } from '../app/title'
import { buttonClass } from '../components/Button'
import { Empty, LoadFailed } from '../components/states'
import { useT } from '../i18n'
import { Explorer } from './Explorer'
import { emptyFront } from './state/empty-front'
import { useThrottled } from './state/throttle'
import './explorer.css'

/** Fronts are read at most this often while a search runs. */
const FRONT_INTERVAL_MS = 250

export default function ExplorerPage({ searchId }: { searchId: string }) {
  const t = useT()
  const query = useSearch(searchId)
  const search = query.data
  const live = search !== undefined && !isFinal(search.state)
  const connection = useSearchEvents(searchId, live)
  const revision = useThrottled(search?.front_revision, FRONT_INTERVAL_MS)
  const front = useFront(searchId, revision)
  useTitle(search ? t('explorer.title', { number: search.number }) : undefined)

  if (!search) {
    const failure = failureOf(query)
    const gone = query.error instanceof ApiError && query.error.status === 404
    return (
      <main className="page" id="main" tabIndex={-1} aria-busy={query.isPending}>
        {gone ? (
          <Empty
            title={t('explorer.gone.title')}
            actions={
              <Link className={buttonClass('act')} to="/">
                {t('explorer.no_feasible.home')}
              </Link>
            }
          >
            <p>{t('explorer.gone.why')}</p>
          </Empty>
        ) : failure ? (
          <LoadFailed error={failure} onRetry={() => void query.refetch()} />
        ) : (
          <p className="s3">{t('explorer.loading')}</p>
        )}
      </main>
    )
  }
  return (
    <Explorer
      search={search}
      front={front.data ?? emptyFront(search)}
      waiting={front.data === undefined && search.front_revision > 0}
      error={failureOf(front)}
      onRetry={() => void front.refetch()}
      connection={connection}
    />
  )
}
