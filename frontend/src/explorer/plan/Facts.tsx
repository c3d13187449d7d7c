/** The other figures of plan A: peak memory, transfers, critical path, distance to the lower bound. */
import { Help } from '../../components/Help'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { fullestMemory, memoryTags } from '../logic/devices'
import { usePlanDetail } from '../state/plan-detail'
import { useExplorer } from '../state/context'
import type { Plan } from '../types'
import { ProofRow } from './ProofRow'
import { SureRow } from './SureRow'

export function Facts({ plan }: { plan: Plan }) {
  const t = useT()
  const f = useFormats()
  const { model } = useExplorer()
  const { detail } = usePlanDetail()
  const bound = model.front.lower_bound.exec_time_ms
  const fullest = detail && fullestMemory(detail)
  return (
    <dl className="xp-facts">
      <dt>{t('explorer.plan.peak')}</dt>
      <dd>
        {f.bytes(plan.peak_memory_bytes)}{' '}
        {fullest && (
          <span className="s3">
            {t(fullest.limit_bytes === null ? 'explorer.plan.peak_on' : 'explorer.plan.peak_at', {
              tag: memoryTags(model.front.devices, fullest, t('explorer.timeline.host')),
              limit: f.bytes(fullest.limit_bytes ?? 0),
            })}
          </span>
        )}
      </dd>
      {plan.overflow_bytes > 0 && (
        <>
          <dt>{t('explorer.plan.overflow')}</dt>
          <dd className="xp-over">{f.bytes(plan.overflow_bytes)}</dd>
        </>
      )}
      <dt>{t('explorer.plan.moved')}</dt>
      <dd>
        {f.bytes(plan.transferred_bytes)}{' '}
        <span className="s3">{t('explorer.plan.transfers', { count: plan.n_transfers })}</span>
      </dd>
      <dt>
        {t('explorer.plan.segments')}
        <Help terms={['segment']} />
      </dt>
      <dd>
        {detail ? (
          <>
            {f.number(detail.segments.count)}
            <span className="s3">
              {' · '}
              {t('explorer.plan.segments.cut', {
                count: detail.segments.cut_edges,
                bytes: f.bytes(detail.segments.cut_bytes),
                launch: f.figure(detail.segments.launch_ms),
              })}
            </span>
          </>
        ) : (
          '–'
        )}
      </dd>
      <dt>
        {t('explorer.plan.critical')}
        <Help terms={['critical']} />
      </dt>
      <dd>
        {detail
          ? t('explorer.plan.of', { count: detail.critical_path.length, all: detail.operators.length })
          : '–'}
      </dd>
      {bound > 0 && (
        <>
          <dt>
            {t('explorer.plan.gap')}
            <Help terms={['gap']} />
          </dt>
          <dd>{t('explorer.plan.gap.at_most', { percent: f.number(Math.max(0, Math.ceil((plan.exec_time_ms / bound - 1) * 100 - 1e-6))) })}</dd>
        </>
      )}
      <SureRow plan={plan} />
      <ProofRow plan={plan} />
    </dl>
  )
}
