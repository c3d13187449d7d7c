// Who was asked and what they said; the rule of the team; whose turn it is.
import type { ReviewDetail } from '../../api/reviews'
import { Chip } from '../../components/marks'
import { useT } from '../../i18n'
import { Person } from './Person'
import { StandingChip } from './StandingChip'
import { useReason } from './useReason'

export function Reviewers({ review }: { review: ReviewDetail }) {
  const t = useT()
  const own = useReason(review.may.approve === 'review_own_plan' ? 'review_own_plan' : null)
  const names = review.waits_for.map((one) => one.name).join(t('list.comma'))
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('review.reviewers')}</h2>
      </div>
      {review.reviewers.length > 0 && (
        <table className="tall">
          <tbody>
            {review.reviewers.map((one) => (
              <tr key={one.user.id}>
                <td>
                  <Person person={one.user} />
                </td>
                <td className="num">
                  {one.decision === '' ? (
                    <Chip>{t('review.reviewers.notYet')}</Chip>
                  ) : (
                    <StandingChip
                      standing={one.decision === 'approved' && review.standing === 'stale' ? 'stale' : one.decision}
                    />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="small s3 side-text">
        {review.reviewers.length === 0 && (
          <p>{review.state === 'draft' ? t('review.reviewers.draft') : t('review.reviewers.anybody')}</p>
        )}
        {own && <p>{own}</p>}
        {names && <p>{t('review.waits', { names })}</p>}
        <p>{t('review.reviewers.rule', { n: review.approvals_needed })}</p>
      </div>
    </section>
  )
}
