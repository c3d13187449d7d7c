// Which plans wait, for whom, since when.
import { Link } from '@tanstack/react-router'

import { useReviews } from '../../api/reviews'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { StandingChip } from '../reviews/StandingChip'
import { Sheet } from './Sheet'

export function Waiting() {
  const t = useT()
  const formats = useFormats()
  const reviews = useReviews()
  const waiting = reviews.data?.results.filter((one) => one.standing !== 'approved' && one.standing !== 'draft')
  return (
    <Sheet id="waiting" title={t('team.waiting')}>
      {reviews.error && <LoadFailed error={reviews.error} onRetry={() => void reviews.refetch()} />}
      {waiting?.length === 0 && <p className="small s3 side-text">{t('team.waiting.none')}</p>}
      <ul className="waiting">
        {waiting?.map((one) => (
          <li key={one.id}>
            <span className="row">
              <Link className="cut" to="/reviews/$id" params={{ id: one.id }}>
                {t('review.crumb', { number: one.plan_number, model: one.search.model })}
              </Link>
              <span className="grow" />
              <StandingChip standing={one.standing} />
            </span>
            <span className="small s3">
              {t('review.waits', { names: one.waits_for.map((person) => person.name).join(t('list.comma')) || '–' })}{' '}
              {t('team.waiting.since')} {formats.dateTime(one.stale_since ?? one.decided_at ?? one.updated_at)}
            </span>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
