/** What the timeline and the graph draw alike (compute, element-wise, critical path), and how items in flight are told apart. */
import { useT } from '../../i18n'
import { useMedia } from '../../drawing/use-size'
import { PATTERNS } from './in-flight'
import { Tools } from './Tools'

export function WorkLegend() {
  const t = useT()
  const wide = useMedia('(min-width: 1280px)')
  if (!wide) return null
  return (
    <Tools>
      <span className="xp-legend small s3" aria-hidden="true">
        <i className="xp-legend-compute" />
        {t('explorer.timeline.compute')}
        <i className="xp-legend-light" />
        {t('explorer.timeline.light')}
        <i className="xp-legend-critical" />
        {t('explorer.timeline.critical')}
      </span>
    </Tools>
  )
}

export function ItemsLegend() {
  const t = useT()
  const wide = useMedia('(min-width: 1280px)')
  if (!wide) return null
  return (
    <Tools>
      <span className="xp-legend small s3" aria-hidden="true" title={t('explorer.timeline.items.legend')}>
        {Array.from({ length: PATTERNS }, (_, i) => (
          <span key={i} className="xp-legend-item">
            <i className={`xp-legend-item-${i}`} />
            {i === 0 ? t('explorer.timeline.items.first', { first: 1, next: 1 + PATTERNS }) : `${i + 1}, ${i + 1 + PATTERNS} …`}
          </span>
        ))}
        <i className="xp-legend-critical" />
        {t('explorer.timeline.critical')}
      </span>
    </Tools>
  )
}
