/** What the timeline and the graph draw alike: compute, element-wise, critical path. */
import { useT } from '../../i18n'
import { useMedia } from '../../drawing/use-size'
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
