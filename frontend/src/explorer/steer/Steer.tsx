/** Steer the next search: devices that it may use, operators that are pinned, and the start from this front. */
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'

import { useStartSearch } from '../../api/mutations'
import { useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Help } from '../../components/Help'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { wholeNumber } from '../../pages/models/planSettings'
import { INITIAL, writeAddress } from '../logic/address'
import { pinCount } from '../logic/pins'
import { useExplorer } from '../state/context'
import { againBody } from './again'
import { PinList } from './PinList'
import { useSteering } from './steering'

const MOST_GENERATIONS = 10_000

export function Steer() {
  const t = useT()
  const { model, search } = useExplorer()
  const steering = useSteering()
  const { forbidden, changed, toggleDevice, reset } = steering
  return (
    <section className="xp-block xp-steer" aria-label={t('explorer.steer')} id="steer">
      <div className="xp-block-head">
        <h2>{t('explorer.steer')}</h2>
        <Help terms={['pin']} />
        {changed && (
          <Button kind="quiet" size="s" className="r" title={t('explorer.steer.reset.hint', { number: search.number })} onClick={reset}>
            {t('explorer.steer.reset')}
          </Button>
        )}
      </div>
      <div className="xp-steer-devices" role="group" aria-label={t('explorer.steer.devices')}>
        {model.front.devices.map((device, i) => {
          const off = forbidden.includes(i)
          return (
            <button
              key={device.name}
              type="button"
              className="xp-steer-device"
              aria-pressed={!off}
              title={t(off ? 'explorer.steer.allow' : 'explorer.steer.forbid', { name: device.name })}
              aria-label={t('explorer.steer.use', { name: device.name })}
              onClick={() => toggleDevice(i)}
            >
              <DeviceTag device={device} />
              <span className="cut">{device.name}</span>
            </button>
          )
        })}
      </div>
      <PinList />
      <Again />
    </section>
  )
}

function Again() {
  const t = useT()
  const router = useRouter()
  const { data: session } = useSession()
  const { model, search, state } = useExplorer()
  const steering = useSteering()
  const start = useStartSearch()
  const { pins, forbidden, operators, conflict } = steering
  const { devices } = model.front
  const [draft, setDraft] = useState<string | null>(null)
  const generations = draft === null ? search.settings.generations : wholeNumber(draft, 1, MOST_GENERATIONS)
  const tag = conflict ? (devices[conflict.device]?.tag ?? '') : ''
  const clash =
    conflict && (conflict.code === 'all_forbidden' ? t('explorer.steer.all_forbidden') : t('explorer.steer.clash', { count: conflict.operators.length, tag }))
  let reason: string | null = null
  if (!canPlan(session)) reason = t('forbidden.viewer')
  else if (!model.plans.length || !operators.length) reason = t('explorer.steer.no_front')
  else if (clash) reason = clash
  else if (generations === null) reason = t('plan.whole', { low: 1, high: MOST_GENERATIONS })
  const again = () =>
    start.mutate(againBody(search, steering, operators, devices, generations ?? 1), {
      onSuccess: ({ id }) => {
        const { weights, bounds, axes, colour, size, view } = state
        const told = { pins: pinCount(pins) ? pins : null, forbidden: forbidden.length ? forbidden : null }
        const query = writeAddress({ ...INITIAL, weights, bounds, axes, colour, size, view, ...told, over: search.id })
        router.history.push(`/searches/${id}?${query}`)
      },
    })
  return (
    <>
      {clash && (
        <p className="xp-fault" role="alert">
          {clash}{' '}
          {conflict.code === 'pinned_to_forbidden' && (
            <Button kind="quiet" size="s" onClick={() => steering.pin(conflict.operators, null)}>
              {t('explorer.steer.unpin_them')}
            </Button>
          )}
        </p>
      )}
      <div className="xp-steer-go">
        <label className="small s2">
          {t('explorer.steer.generations')}
          <input
            className="in n"
            inputMode="numeric"
            autoComplete="off"
            aria-invalid={generations === null || undefined}
            value={draft ?? String(search.settings.generations)}
            onChange={(event) => setDraft(event.target.value)}
          />
        </label>
        <Button icon="play" busy={start.isPending} disabledReason={reason} title={t('explorer.steer.again.hint', { number: search.number })} onClick={again}>
          {t('explorer.steer.again')}
        </Button>
      </div>
      {start.error && <ErrorBanner error={start.error} />}
    </>
  )
}
