/** How sure plan A is: the range of its time, and where its costs and its energy are from. */
import { Help } from '../../components/Help'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { energyBySource, planRange, timeBySource } from '../logic/certainty'
import { withUnit } from '../logic/scales'
import { usePlanDetail } from '../state/plan-detail'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'

const SHOWN = 3

export function SureRow({ plan }: { plan: Plan }) {
  const t = useT()
  const f = useFormats()
  const { model, lang } = useExplorer()
  const { detail } = usePlanDetail()
  if (!detail) return null
  const range = planRange(detail, plan.exec_time_ms)
  const scale = model.scales.exec_time_ms
  const list = (rows: readonly [string, number][], group: 'explorer.source' | 'explorer.energySource') =>
    rows
      .slice(0, SHOWN)
      .map(([source, share]) => t('explorer.sure.part', { source: translateCode(group, source, {}, source, lang), share: f.share(share) }))
      .join(t('list.comma'))
  return (
    <>
      {range.high > range.low && (
        <>
          <dt>
            {t('explorer.sure.range')}
            <Help terms={['interval']} />
          </dt>
          <dd title={t('explorer.sure.how')}>
            {t('explorer.sure.value', { low: withUnit(range.low, scale, lang), high: withUnit(range.high, scale, lang) })}
          </dd>
        </>
      )}
      <dt>{t('explorer.sure.costs')}</dt>
      <dd>{list(timeBySource(detail.operators), 'explorer.source') || '–'}</dd>
      <dt>{t('explorer.sure.energy')}</dt>
      <dd>{list(energyBySource(detail.operators), 'explorer.energySource') || '–'}</dd>
    </>
  )
}
