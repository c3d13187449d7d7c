/** Over the work pane while moves are tried: what moved, what changed, and the ways to keep it or to drop it. */
import { useEffect } from 'react'

import { useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { announce, toast } from '../../components/announce'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Help } from '../../components/Help'
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { deltaText } from '../logic/delta'
import { planValue } from '../logic/model'
import { pinCount } from '../logic/pins'
import { scaleOf } from '../logic/scales'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import { useKeep, useWork, type WhatIfState } from './what-if'

/** As many moves are named; more are counted. */
const NAMED = 2

export function WhatIfBanner() {
  const { whatIf } = useWork()
  return whatIf && <Shown whatIf={whatIf} />
}

function Shown({ whatIf: { base, moves, tried, busy, error } }: { whatIf: WhatIfState }) {
  const t = useT()
  const f = useFormats()
  const names = useNames()
  const { model, lang, update } = useExplorer()
  const session = useSession().data
  const { tryOn, discard } = useWork()
  const keep = useKeep()
  const { devices } = model.front
  const deltas = tried
    ? model.figures.map(({ key }) => ({
        key,
        name: names.sourced(key),
        text: deltaText((tried.values[key] ?? Number.NaN) - planValue(model, model.a, key), scaleOf(model.scales, key), lang),
      }))
    : []
  const spoken = tried && !busy ? `${t('explorer.whatif')}: ${deltas.map(({ name, text }) => `${name} ${text}`).join(', ')}` : ''
  useEffect(() => {
    if (spoken) announce(spoken)
  }, [spoken])
  const same = tried ? model.plans.find((plan) => plan.hash === tried.hash) : undefined
  const number = model.front.next_number
  const refused = !canPlan(session)
    ? t('explorer.whatif.not_yours')
    : !tried || busy
      ? t('explorer.whatif.busy')
      : tried.overflow_bytes > 0
        ? t('explorer.placement.overflow', { size: f.bytes(tried.overflow_bytes) })
        : false
  const store = async () => {
    const kept = await keep.mutateAsync({ base: base.hash, moves })
    toast(t('explorer.whatif.kept', { number: kept.number }))
  }
  const listed = Object.entries(moves).map(([index, device]) => ({ op: base.operators[Number(index)], index: Number(index), device }))
  return (
    <div className="xp-whatif" role="region" aria-label={t('explorer.whatif')} aria-busy={busy} data-testid="what-if">
      <b>{t('explorer.whatif')}</b>
      <Help terms={['whatif']} />
      {listed.slice(0, NAMED).map(({ op, index, device }) => {
        const [from, to] = [devices[op?.device ?? -1], devices[device]]
        return (
          <span key={index} className="xp-whatif-move">
            <button type="button" className="xp-link cut" title={op?.name} onClick={() => update({ operator: index })}>
              {op?.name ?? index}
            </button>
            {from && <DeviceTag device={from} />}→{to && <DeviceTag device={to} />}
            {listed.length > 1 && op && (
              <Button kind="quiet" size="s" icon="x" aria-label={t('explorer.whatif.undo_one', { name: op.name })} onClick={() => tryOn([index], op.device)} />
            )}
          </span>
        )
      })}
      {listed.length > NAMED && <span className="s2">{t('explorer.whatif.more', { count: pinCount(moves) - NAMED })}</span>}
      <span className="xp-whatif-deltas" data-testid="what-if-deltas">
        {deltas.map(({ key, name, text }) => (
          <span key={key} data-metric={key}>
            {name} {text}
          </span>
        ))}
        {tried && tried.overflow_bytes > 0 && <b className="xp-over">{t('explorer.placement.overflow', { size: f.bytes(tried.overflow_bytes) })}</b>}
      </span>
      {(error ?? keep.error) !== null && <ErrorBanner error={error ?? keep.error} />}
      <span className="xp-whatif-actions">
        {same ? (
          <Button size="s" onClick={() => update({ a: same.hash.slice(0, 12), moves: null })}>
            {t('explorer.whatif.same', { number: same.number })}
          </Button>
        ) : (
          <Button size="s" busy={keep.isPending} disabledReason={refused} onClick={() => void store().catch(() => undefined)}>
            {t('explorer.whatif.keep', { number })}
          </Button>
        )}
        <Button size="s" onClick={discard}>
          {t('explorer.whatif.discard')}
        </Button>
      </span>
    </div>
  )
}
