/** The selected operator: why it is there, and what moving it to each other device would change. */
import { useQuery } from '@tanstack/react-query'

import { api, unwrap } from '../../api/client'
import { DeviceTag } from '../../components/marks'
import { Button } from '../../components/Button'
import { useSteering } from '../steer/steering'
import { useFormats } from '../../format/numbers'
import { type Lang, translateCode, useT } from '../../i18n'
import { figure, type Scale, signed, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { Alternative, PlanDetail, PlanOperator } from '../types'
import { byStart } from './Operators'
import { useReason } from './reason'
import { operatorScales } from './scales'
import { shownOperator } from './shown'

export function Inspector({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const { state, update } = useExplorer()
  const operator = shownOperator(detail, state.operator)
  if (!operator)
    return (
      <aside className="xp-inspector xp-inspector-none" aria-label={t('explorer.inspector')}>
        <p className="s3">{t('explorer.inspector.none')}</p>
      </aside>
    )
  return (
    <aside className="xp-inspector" aria-label={t('explorer.inspector')} id="inspector" tabIndex={-1}>
      <Asked key={operator.index} detail={detail} operator={operator} onClose={state.operator === null ? null : () => update({ operator: null })} />
    </aside>
  )
}

interface AskedProps {
  readonly detail: PlanDetail
  readonly operator: PlanOperator
  readonly onClose: (() => void) | null
}

/** Large plans come without reasons and alternatives; then they are read for this operator alone. */
function Asked({ detail, operator, onClose }: AskedProps) {
  const { search } = useExplorer()
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
    enabled: operator.alternatives === null || operator.reason === null,
    staleTime: Infinity,
  })
  const reason = operator.reason ?? asked.data?.reason ?? null
  const alternatives = operator.alternatives ?? asked.data?.alternatives ?? null
  return (
    <>
      <Identity detail={detail} operator={operator} reason={reason} onClose={onClose} />
      <Alternatives detail={detail} operator={operator} list={alternatives} failed={asked.error !== null} />
    </>
  )
}

function Identity({ detail, operator, reason, onClose }: AskedProps & { readonly reason: PlanOperator['reason'] }) {
  const t = useT()
  const say = useReason()
  const place = byStart(detail.operators).findIndex((op) => op.index === operator.index) + 1
  return (
    <>
      <div className="xp-inspector-id">
        <div className="grow">
          <h3>{operator.name}</h3>
          <div className="small s3">
            {operator.op_type} · {t('explorer.inspector.at', { number: place })}
            {!onClose && <> · {t('explorer.inspector.longest')}</>}
            {operator.members.length > 1 && (
              <span title={operator.members.join('\n')}> · {t('explorer.op.members', { count: operator.members.length })}</span>
            )}
          </div>
        </div>
        {onClose && <Button kind="quiet" size="s" icon="x" aria-label={t('explorer.inspector.close')} onClick={onClose} />}
      </div>
      <p className="xp-inspector-why small" data-testid="reason">
        {say({ reason })}
      </p>
    </>
  )
}

interface AlternativesProps {
  readonly detail: PlanDetail
  readonly operator: PlanOperator
  readonly list: PlanOperator['alternatives']
  readonly failed: boolean
}

function Alternatives({ detail, operator, list, failed }: AlternativesProps) {
  const t = useT()
  const { model, lang } = useExplorer()
  const here = model.front.devices[operator.device]
  const { time, energy } = operatorScales(detail, model.scales)
  return (
    <div className="xp-alternatives" role="table" aria-label={t('explorer.inspector.elsewhere')}>
      <div role="row" className="xp-alt xp-alt-head">
        <span role="columnheader">{t('explorer.op.device')}</span>
        <span role="columnheader">{t('explorer.inspector.time')}</span>
        <span role="columnheader">{t('explorer.inspector.energy')}</span>
        <span role="columnheader" className="sr">
          {t('explorer.steer.pin_to')}
        </span>
      </div>
      <div role="row" className="xp-alt xp-alt-here">
        <span role="cell">{here && <DeviceTag device={here} />}</span>
        <span role="cell">
          {withUnit(operator.time_ms, time, lang)} <span className="s3">{t('explorer.inspector.here')}</span>
        </span>
        <span role="cell">{withUnit(operator.energy_j, energy, lang)}</span>
        <PinCell operator={operator.index} device={operator.device} id="xp-pin-here" />
      </div>
      {list?.map((alternative) => (
        <AlternativeRow key={alternative.device} operator={operator.index} alternative={alternative} scales={{ time, energy }} />
      ))}
      {list?.length === 0 && <p className="xp-alt-note s3">{t('explorer.alt.none')}</p>}
      {!list && <p className="xp-alt-note s3">{t(failed ? 'explorer.inspector.failed' : 'explorer.inspector.loading')}</p>}
    </div>
  )
}

function deltaText(delta: number | null, scale: Scale, lang: Lang): string {
  if (delta === null) return '–'
  const text = signed(delta, scale, lang)
  // A change too small for the column is still a change.
  if (delta !== 0 && text.replace(/[0.,]/g, '') === '') return `${delta > 0 ? '+' : '−'} ${figure(Math.abs(delta), scale, lang)} ${scale.unit}`
  return `${text} ${scale.unit}`
}

function AlternativeRow({ operator, alternative, scales }: { operator: number; alternative: Alternative; scales: { time: Scale; energy: Scale } }) {
  const t = useT()
  const f = useFormats()
  const { model, lang } = useExplorer()
  const device = model.front.devices[alternative.device]
  const { delta_time_ms: dt, delta_energy_j: de } = alternative
  const tag = <span role="cell">{device && <DeviceTag device={device} />}</span>
  const figures = () => (
    <>
      <span role="cell">{deltaText(dt, scales.time, lang)}</span>
      <span role="cell">{deltaText(de, scales.energy, lang)}</span>
    </>
  )
  const size = f.bytes(alternative.overflow_bytes ?? 0)
  const note = translateCode('explorer.alt', alternative.code, { size }, alternative.code, lang)
  return (
    <div role="row" className="xp-alt" data-code={alternative.code}>
      {tag}
      {alternative.code === 'ok' ? (
        figures()
      ) : (
        <span role="cell" className="xp-alt-wide s3">
          {note}
          {alternative.because && <span className="xp-because">{t('explorer.alt.because', { why: alternative.because })}</span>}
        </span>
      )}
      <PinCell operator={operator} device={alternative.device} supported={alternative.code !== 'not_supported'} />
    </div>
  )
}

function PinCell({ operator, device, supported = true, id }: { operator: number; device: number; supported?: boolean; id?: string }) {
  const t = useT()
  const { model } = useExplorer()
  const { pins, pin } = useSteering()
  const tag = model.front.devices[device]?.tag ?? ''
  const on = pins[operator] === device
  return (
    <span role="cell">
      <Button
        id={id}
        kind="quiet"
        size="s"
        icon="pin"
        className="xp-pin-button"
        aria-pressed={on}
        aria-label={t('explorer.steer.pin', { tag })}
        title={t(on ? 'explorer.steer.unpin_here' : 'explorer.steer.pin', { tag })}
        disabledReason={supported ? false : t('explorer.steer.not_supported', { tag })}
        onClick={() => pin([operator], on ? null : device)}
      />
    </span>
  )
}
