/** The selected operator: why it is there, and what moving it to each other device would change. */
import { useQuery } from '@tanstack/react-query'

import { api, unwrap } from '../../api/client'
import { DeviceTag } from '../../components/marks'
import { Button } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { scaleFor, signed, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { Alternative, PlanDetail, PlanOperator } from '../types'
import { byStart } from './Operators'
import { useReason } from './reason'

export function Inspector({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const { state, update } = useExplorer()
  const operator = detail.operators.find((op) => op.index === state.operator)
  if (!operator)
    return (
      <aside className="xp-inspector xp-inspector-none" aria-label={t('explorer.inspector')}>
        <p className="s3">{t('explorer.inspector.none')}</p>
      </aside>
    )
  return (
    <aside className="xp-inspector" aria-label={t('explorer.inspector')} id="inspector" tabIndex={-1}>
      <Identity detail={detail} operator={operator} onClose={() => update({ operator: null })} />
      <Alternatives key={operator.index} detail={detail} operator={operator} />
    </aside>
  )
}

function Identity({ detail, operator, onClose }: { detail: PlanDetail; operator: PlanOperator; onClose: () => void }) {
  const t = useT()
  const reason = useReason()
  const place = byStart(detail.operators).findIndex((op) => op.index === operator.index) + 1
  return (
    <>
      <div className="xp-inspector-id">
        <div className="grow">
          <h3>{operator.name}</h3>
          <div className="small s3">
            {operator.op_type} · {t('explorer.inspector.at', { number: place })}
            {operator.members.length > 1 && (
              <span title={operator.members.join('\n')}> · {t('explorer.op.members', { count: operator.members.length })}</span>
            )}
          </div>
        </div>
        <Button kind="quiet" size="s" icon="x" aria-label={t('explorer.inspector.close')} onClick={onClose} />
      </div>
      <p className="xp-inspector-why small" data-testid="reason">
        {reason(operator)}
      </p>
    </>
  )
}

function Alternatives({ detail, operator }: { detail: PlanDetail; operator: PlanOperator }) {
  const t = useT()
  const { search, model, lang } = useExplorer()
  const asked = useQuery({
    queryKey: ['plan', search.id, 'hash', detail.hash, 'operator', operator.index],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/searches/{search_id}/plans/{number}/operators/{index}/', {
          signal,
          params: {
            path: { search_id: search.id, number: detail.number, index: operator.index },
            query: { hash: detail.hash },
          },
        }),
      ),
    enabled: operator.alternatives === null,
    staleTime: Infinity,
  })
  const list = operator.alternatives ?? asked.data?.alternatives ?? null
  const here = model.front.devices[operator.device]
  const time = scaleFor('exec_time_ms', operator.time_ms)
  const energy = scaleFor('energy_j', operator.energy_j)
  return (
    <div className="xp-alternatives" role="table" aria-label={t('explorer.inspector.elsewhere')}>
      <div role="row" className="xp-alt xp-alt-head">
        <span role="columnheader">{t('explorer.op.device')}</span>
        <span role="columnheader">{t('explorer.inspector.time')}</span>
        <span role="columnheader">{t('explorer.inspector.energy')}</span>
      </div>
      <div role="row" className="xp-alt xp-alt-here">
        <span role="cell">{here && <DeviceTag device={here} />}</span>
        <span role="cell">
          {withUnit(operator.time_ms, time, lang)} <span className="s3">{t('explorer.inspector.here')}</span>
        </span>
        <span role="cell">{withUnit(operator.energy_j, energy, lang)}</span>
      </div>
      {list?.map((alternative) => <AlternativeRow key={alternative.device} alternative={alternative} />)}
      {list?.length === 0 && <p className="xp-alt-note s3">{t('explorer.alt.none')}</p>}
      {!list && <p className="xp-alt-note s3">{t(asked.error ? 'explorer.inspector.failed' : 'explorer.inspector.loading')}</p>}
    </div>
  )
}

function AlternativeRow({ alternative }: { alternative: Alternative }) {
  const t = useT()
  const f = useFormats()
  const { model, lang } = useExplorer()
  const device = model.front.devices[alternative.device]
  const { delta_time_ms: dt, delta_energy_j: de } = alternative
  const tag = <span role="cell">{device && <DeviceTag device={device} />}</span>
  const figures = () => {
    const time = scaleFor('exec_time_ms', Math.abs(dt ?? 0))
    const energy = scaleFor('energy_j', Math.abs(de ?? 0))
    return (
      <>
        <span role="cell">{dt === null ? '–' : dt === 0 ? '0' : `${signed(dt, time, lang)} ${time.unit}`}</span>
        <span role="cell">{de === null ? '–' : de === 0 ? '0' : `${signed(de, energy, lang)} ${energy.unit}`}</span>
      </>
    )
  }
  const note =
    alternative.code === 'exceeds_memory'
      ? t('explorer.alt.exceeds_memory', { size: f.bytes(alternative.overflow_bytes ?? 0) })
      : alternative.code === 'not_supported'
        ? t('explorer.alt.not_supported')
        : t('explorer.alt.pinned')
  return (
    <div role="row" className="xp-alt" data-code={alternative.code}>
      {tag}
      {alternative.code === 'ok' ? (
        figures()
      ) : (
        <span role="cell" className="xp-alt-wide s3">
          {note}
        </span>
      )}
    </div>
  )
}
