/** The selected operator: why it is there, and what moving it to each other device would change. */
import { useQuery } from '@tanstack/react-query'

import { api, unwrap } from '../../api/client'
import { failureOf } from '../../api/failure'
import { Breakable } from '../../components/Breakable'
import { DeviceTag } from '../../components/marks'
import { Button } from '../../components/Button'
import { useSteering } from '../steer/steering'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { deltaText } from '../logic/delta'
import { movesList } from '../logic/moves'
import { writePins } from '../logic/pins'
import { timeText } from '../logic/reason'
import { type Scale, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import { useWork } from '../whatif/what-if'
import type { Alternative, PlanDetail, PlanOperator } from '../types'
import { CostLine } from './CostLine'
import { operatorOf, placeOf } from '../logic/lookup'
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
  const { whatIf } = useWork()
  const asked = useQuery({
    queryKey: ['plan', search.id, 'hash', detail.hash, 'operator', operator.index, whatIf && writePins(whatIf.moves)],
    queryFn: ({ signal }) =>
      whatIf ? unwrap(
        api.POST('/api/searches/{search_id}/what-if/operators/{index}/', {
          signal,
          params: { path: { search_id: search.id, index: operator.index } },
          body: { base: whatIf.base.hash, moves: movesList(whatIf.moves) },
        }),
      ) : unwrap(
        api.GET('/api/searches/{search_id}/plans/{number}/operators/{index}/', {
          signal,
          params: {
            path: { search_id: search.id, number: detail.number, index: operator.index },
            query: { hash: detail.hash },
          },
        }),
      ),
    // While moves are being decoded, the operator shown is still that of the plan before.
    enabled: (operator.alternatives === null || operator.reason === null) && !whatIf?.busy,
    staleTime: Infinity,
  })
  const reason = operator.reason ?? asked.data?.reason ?? null
  const alternatives = operator.alternatives ?? asked.data?.alternatives ?? null
  return (
    <>
      <Identity detail={detail} operator={operator} reason={reason} onClose={onClose} />
      <Alternatives detail={detail} operator={operator} list={alternatives} failure={failureOf(asked)} onRetry={() => void asked.refetch()} />
    </>
  )
}

function Identity({ detail, operator, reason, onClose }: AskedProps & { readonly reason: PlanOperator['reason'] }) {
  const t = useT()
  const say = useReason()
  const moved = useMoved(detail, operator)
  const place = placeOf(detail, operator.index)
  return (
    <>
      <div className="xp-inspector-id">
        <div className="grow">
          <h3>
            <Breakable text={operator.name} />
          </h3>
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
        {moved ?? say({ reason })}
      </p>
      <CostLine detail={detail} operator={operator} />
    </>
  )
}

/** Of an operator that was moved by hand: from where, and what the moves do to the plan. */
function useMoved(detail: PlanDetail, operator: PlanOperator): string | null {
  const t = useT()
  const f = useFormats()
  const { model } = useExplorer()
  const { whatIf } = useWork()
  const home = whatIf ? operatorOf(whatIf.base, operator.index)?.device : undefined
  if (!whatIf || home === undefined || home === operator.device) return null
  const tag = model.front.devices[home]?.tag ?? ''
  const longer = detail.exec_time_ms - whatIf.base.exec_time_ms
  if (longer === 0) return t('explorer.whatif.you', { tag })
  return t(longer > 0 ? 'explorer.whatif.you_longer' : 'explorer.whatif.you_shorter', { tag, time: timeText(Math.abs(longer), f) })
}

interface AlternativesProps {
  readonly detail: PlanDetail
  readonly operator: PlanOperator
  readonly list: PlanOperator['alternatives']
  readonly failure: unknown
  readonly onRetry: () => void
}

function Alternatives({ detail, operator, list, failure, onRetry }: AlternativesProps) {
  const t = useT()
  const { model, lang } = useExplorer()
  const here = model.front.devices[operator.device]
  const { time, energy } = operatorScales(detail, model.scales)
  const best = list?.filter((one) => one.code === 'ok').reduce<Alternative | undefined>(
    (least, one) => (!least || (one.delta_time_ms ?? 0) < (least.delta_time_ms ?? 0) ? one : least),
    undefined,
  )
  return (
    <div className="xp-alternatives" role="table" aria-label={t('explorer.inspector.elsewhere')}>
      <div role="row" className="xp-alt xp-alt-head">
        <span role="columnheader">
          <span className="sr">{t('explorer.op.device')}</span>
        </span>
        <span role="columnheader">{t('explorer.inspector.time')}</span>
        <span role="columnheader">{t('explorer.inspector.energy')}</span>
        <span role="columnheader" className="sr">
          {t('explorer.whatif.try')}
        </span>
        <span role="columnheader" className="sr">
          {t('explorer.steer.pin_to')}
        </span>
      </div>
      <div role="row" className="xp-alt xp-alt-here">
        <span role="cell">{here && <DeviceTag device={here} />}</span>
        <span role="cell">
          {withUnit(operator.time_ms, time, lang)}
        </span>
        <span role="cell" title={translateCode('explorer.energySource', operator.energy_source, {}, operator.energy_source, lang)}>
          {withUnit(operator.energy_j, energy, lang)}
        </span>
        <span role="cell" className="s3">
          {t('explorer.inspector.here')}
        </span>
        <PinCell operator={operator.index} device={operator.device} id="xp-pin-here" />
      </div>
      {list?.map((alternative) => (
        <AlternativeRow
          key={alternative.device}
          operator={operator.index}
          alternative={alternative}
          scales={{ time, energy }}
          isBest={alternative === best}
        />
      ))}
      {list?.length === 0 && <p className="xp-alt-note s3">{t('explorer.alt.none')}</p>}
      {!list && !failure && <p className="xp-alt-note s3">{t('explorer.inspector.loading')}</p>}
      {!list && Boolean(failure) && (
        <p className="xp-alt-note" role="alert">
          {t('explorer.inspector.failed')}{' '}
          <Button size="s" onClick={onRetry}>
            {t('common.retry')}
          </Button>
        </p>
      )}
    </div>
  )
}

interface AlternativeRowProps {
  readonly operator: number
  readonly alternative: Alternative
  readonly scales: { readonly time: Scale; readonly energy: Scale }
  /** The one that the key t tries. */
  readonly isBest: boolean
}

function AlternativeRow({ operator, alternative, scales, isBest }: AlternativeRowProps) {
  const t = useT()
  const f = useFormats()
  const { model, lang } = useExplorer()
  const device = model.front.devices[alternative.device]
  const { delta_time_ms: dt, delta_energy_j: de } = alternative
  const tag = <span role="cell">{device && <DeviceTag device={device} />}</span>
  const figures = () => (
    <>
      <span role="cell">{deltaText(dt, scales.time, lang)}</span>
      <span role="cell" title={translateCode('explorer.energySource', alternative.energy_source, {}, alternative.energy_source, lang)}>
        {deltaText(de, scales.energy, lang)}
      </span>
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
      <TryCell operator={operator} device={alternative.device} code={alternative.code} note={note} id={isBest ? 'xp-try' : undefined} />
      <PinCell operator={operator} device={alternative.device} supported={alternative.code !== 'not_supported'} />
    </div>
  )
}

/** Where memory is exceeded it can be tried all the same: other moves may free it. */
function TryCell({ operator, device, code, note, id }: { operator: number; device: number; code: string; note: string; id?: string | undefined }) {
  const t = useT()
  const { model } = useExplorer()
  const { whatIf, tryOn } = useWork()
  const tag = model.front.devices[device]?.tag ?? ''
  const isBack = whatIf !== null && operatorOf(whatIf.base, operator)?.device === device
  return (
    <span role="cell">
      <Button
        id={id}
        size="s"
        aria-label={t(isBack ? 'explorer.whatif.back_to' : 'explorer.whatif.try_on', { tag })}
        disabledReason={code === 'ok' || code === 'exceeds_memory' ? false : note}
        onClick={() => tryOn([operator], device)}
      >
        {t(isBack ? 'explorer.whatif.back' : 'explorer.whatif.try')}
      </Button>
    </span>
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
