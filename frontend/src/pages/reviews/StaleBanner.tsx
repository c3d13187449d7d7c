// What has changed beneath the plan since it was sent for review, before everything else on the page.
import { useChanges, type ReviewDetail } from '../../api/reviews'
import { Banner } from '../../components/Banner'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { reasonText } from './reasons'
import { RequestButton } from './RequestButton'

export function StaleBanner({ review }: { review: ReviewDetail }) {
  const t = useT()
  const formats = useFormats()
  const changes = useChanges(review)
  if (review.reasons.length === 0) return null
  const stale = review.standing === 'stale'
  const costs = changes.data?.find((one) => one.kind === 'costs')
  return (
    <div className="stale-banner">
      <Banner
        tone="warn"
        role="status"
        title={stale ? t('review.stale.title') : t('review.outdated.title')}
        actions={
          <>
            {costs && (
              <a className="btn s" href="#changes">
                {t('review.compareCosts')}
              </a>
            )}
            <RequestButton review={review} size="s" again />
          </>
        }
      >
        {review.reasons.map((reason) => (
          <p key={`${reason.code} ${reason.at}`}>{reasonText(reason, t, formats.date)}</p>
        ))}
        <p>{t('review.unchanged')}</p>
      </Banner>
    </div>
  )
}
