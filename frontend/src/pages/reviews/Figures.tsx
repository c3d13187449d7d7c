// The plan's figures in a row, each with its multiple of the default plan.
import type { ReviewDetail } from '../../api/reviews'
import { useEnergyName } from '../../format/energySources'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { isNamed, shownFigure } from './figures'

export function Figures({ review }: { review: ReviewDetail }) {
  const t = useT()
  const formats = useFormats()
  const energyName = useEnergyName()
  return (
    <dl className="figs review-figs" aria-label={t('review.figures')}>
      {review.figures.map(({ key, value, multiple, sources }) =>
        isNamed(key) ? (
          <div key={key}>
            <dt>{energyName(t(`review.figure.${key}`), sources)}</dt>
            <dd>
              {shownFigure(key, value, formats)}
              {multiple !== null && (
                <small> {t('review.figure.ofDefault', { multiple: formats.multiple(multiple) })}</small>
              )}
            </dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}
