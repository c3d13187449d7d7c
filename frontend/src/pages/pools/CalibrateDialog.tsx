// Starts a calibration: which device of a host, whose operators first, for how long.
import { useState } from 'react'

import { useStartCalibration } from '../../api/calibrations'
import type { Host } from '../../api/hardware'
import { useCalibratePool } from '../../api/machines'
import { useModels } from '../../api/queries'
import type { DeviceType, Pool } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { SelectField, TextField } from '../../components/Field'
import { useT } from '../../i18n'
import { placeOf } from './draft'
import { ModelChecks } from './ModelChecks'

export interface CalibrateDialogProps {
  /** The pool's device that is to be measured. */
  name: string
  type: DeviceType
  hosts: readonly Host[]
  /** Whose device it is; one that is no sample uses what is measured by itself. */
  pool: Pool
  onClose: () => void
}

export interface Place {
  id: string
  title: string
  /** As a probed pool's device names it. */
  place: string
  host: string
}

/** The healthy devices of a type on every host. */
export function placesOf(hosts: readonly Host[], type: DeviceType): Place[] {
  return hosts.flatMap((host) =>
    host.runtimes.flatMap((runtime) =>
      runtime.devices
        .filter((device) => device.state === 'healthy' && device.device_type === type)
        .map((device) => ({ id: device.id, title: `${host.name} · ${runtime.name} · ${device.name}`, place: `${runtime.name}:${device.index}`, host: host.id })),
    ),
  )
}

const BUDGET_S = 120
const CASES = 1300
const MOST_MODELS = 20

export function CalibrateDialog({ name, type, hosts, pool, onClose }: CalibrateDialogProps) {
  const t = useT()
  const alone = useStartCalibration()
  const forPool = useCalibratePool(pool.id)
  const models = useModels()
  const places = placesOf(hosts, type)
  const said = placeOf(pool.spec.devices.find((device) => device.name === name))
  const own = places.find((one) => one.place === said && (pool.host === null || one.host === pool.host))
  const [place, setPlace] = useState((own ?? places[0])?.id ?? '')
  const ready = (models.data?.results ?? []).filter((model) => model.state === 'ready').slice(0, MOST_MODELS)
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const first = ready.filter((model) => chosen === null || chosen.has(model.id)).map((model) => model.id)
  const [budget, setBudget] = useState(String(BUDGET_S))
  const seconds = Number(budget)
  const why = place === '' ? t('cal.start.noDevice', { type }) : !Number.isInteger(seconds) || seconds < 5 || seconds > 3600 ? t('plan.whole', { low: 5, high: 3600 }) : null
  const busy = alone.isPending || forPool.isPending
  const error = alone.error ?? forPool.error
  const submit = () => {
    const asked = { models: first, budget_s: seconds, count: CASES }
    if (pool.is_sample) alone.mutate({ ...asked, device: place }, { onSuccess: onClose })
    else forPool.mutate({ ...asked, devices: { [name]: place } }, { onSuccess: onClose })
  }
  return (
    <Dialog open onClose={onClose} title={t('cal.start.title', { name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (why === null) submit()
        }}
      >
        <div className="dbody stack">
          <p className="s2">{t('cal.start.text')}</p>
          {places.length === 0 ? (
            <p className="small wrong">{t('cal.start.noDevice', { type })}</p>
          ) : (
            <SelectField label={t('cal.start.device')} value={place} onChange={setPlace}>
              {places.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.title}
                </option>
              ))}
            </SelectField>
          )}
          <ModelChecks models={ready} chosen={first} onChange={(ids) => setChosen(new Set(ids))} />
          <TextField label={t('cal.start.budget')} value={budget} onChange={setBudget} />
          {error && <ErrorBanner error={error} />}
        </div>
        <div className="dfoot">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="act" type="submit" busy={busy} disabledReason={why}>
            {t('cal.start.go')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
