// All reviews of the team: what waits for the reader first.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useSession } from '../../api/queries'
import { useReviews, type Review } from '../../api/reviews'
import { useTitle } from '../../app/title'
import { Segmented } from '../../components/Segmented'
import { BoneRows, Empty, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'
import { StandingChip } from './StandingChip'

type Filter = 'mine' | 'open' | 'all'

function Row({ review }: { review: Review }) {
  const t = useT()
  const formats = useFormats()
  const poolName = usePoolName()
  const names = (people: readonly { name: string }[]) => people.map((one) => one.name).join(t('list.comma')) || '–'
  const plan = { number: review.plan_number, model: review.search.model }
  return (
    <tr>
      <td>
        <Link to="/reviews/$id" params={{ id: review.id }} aria-label={t('review.open', plan)}>
          {t('review.crumb', plan)}
        </Link>
        <span className="s3 small"> {poolName(review.search.pool, review.search.pool_is_sample)}</span>
      </td>
      <td>
        <StandingChip standing={review.standing} />
      </td>
      <td>{names(review.waits_for)}</td>
      <td className="s2 hide-s">{names(review.authors)}</td>
      <td className="num">{formats.number(review.n_open_threads)}</td>
      <td className="s3 nowrap hide-s">{formats.dateTime(review.updated_at)}</td>
    </tr>
  )
}

export function ReviewsPage() {
  const t = useT()
  const { data: session } = useSession()
  const reviews = useReviews()
  const [chosen, setChosen] = useState<Filter | null>(null)
  useTitle(t('reviews.title'))
  const rows = reviews.data?.results
  const mine = rows?.filter((one) => one.waits_for.some((person) => person.id === session?.user?.id)) ?? []
  const open = rows?.filter((one) => one.standing !== 'approved') ?? []
  const filter = chosen ?? (mine.length > 0 ? 'mine' : 'all')
  const shown = { mine, open, all: rows ?? [] }[filter]
  return (
    <main className="page" id="main" tabIndex={-1}>
      {rows?.length === 0 ? (
        <Empty
          title={t('reviews.empty')}
          actions={
            <Link className="btn" to="/">
              {t('gone.home')}
            </Link>
          }
        >
          <p>{t('reviews.emptyText')}</p>
        </Empty>
      ) : (
        <>
          <div className="pagehead">
            <h1>{t('reviews.title')}</h1>
            <div className="r">
              <Segmented<Filter>
                label={t('reviews.filter')}
                value={filter}
                options={[
                  { value: 'mine', label: `${t('reviews.mine')} ${mine.length}` },
                  { value: 'open', label: `${t('reviews.open')} ${open.length}` },
                  { value: 'all', label: t('reviews.all') },
                ]}
                onChange={setChosen}
              />
            </div>
          </div>
          {reviews.error && !rows ? (
            <LoadFailed error={reviews.error} onRetry={() => void reviews.refetch()} />
          ) : rows && shown.length === 0 ? (
            <div className="sheet">
              <Empty inSheet title={t('reviews.nothingHere')}>
                <p>{filter === 'mine' ? t('reviews.nothingMine') : t('reviews.nothingOpen')}</p>
              </Empty>
            </div>
          ) : (
            <div className="sheet scroll-x">
              <table className="roomy">
                <thead>
                  <tr>
                    <th>{t('reviews.plan')}</th>
                    <th>{t('reviews.state')}</th>
                    <th>{t('reviews.waitsFor')}</th>
                    <th className="hide-s">{t('reviews.by')}</th>
                    <th className="num">{t('reviews.threads')}</th>
                    <th className="hide-s">{t('reviews.changed')}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows ? shown.map((one) => <Row key={one.id} review={one} />) : <BoneRows rows={4} columns={6} />}
                </tbody>
              </table>
            </div>
          )}
        </>
      )}
    </main>
  )
}
