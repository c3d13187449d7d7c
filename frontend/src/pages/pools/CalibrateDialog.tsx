// Starts a calibration: which device of a host, whose operators first, for how long.
import { useState } from 'react'

import { useStartCalibration } from '../../api/calibrations'
import type { Host } from '../../api/hardware'
import { useModels } from '../../api/queries'
import type { DeviceType } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { SelectField, TextField } from '../../components/Field'
import { useT } from '../../i18n'

export interface CalibrateDialogProps {
  /** The pool's device that is to be measured. */
  name: string
  type: DeviceType
  hosts: readonly Host[]
  onClose: () => void
}

export interface Place {
  id: string
  title: string
}

/** The healthy devices of a type on every host. */
export function placesOf(hosts: readonly Host[], type: DeviceType): Place[] {
  return hosts.flatMap((host) =>
    host.runtimes.flatMap((runtime) =>
      runtime.devices
        .filter((device) => device.state === 'healthy' && device.device_type === type)
        .map((device) => ({ id: device.id, title: `${host.name} · ${runtime.name} · ${device.name}` })),
    ),
  )
}

const BUDGET_S = 120
const CASES = 1300
const MOST_MODELS = 20

export function CalibrateDialog({ name, type, hosts, onClose }: CalibrateDialogProps) {
  const t = useT()
  const start = useStartCalibration()
  const models = useModels()
  const places = placesOf(hosts, type)
  const [place, setPlace] = useState(places[0]?.id ?? '')
  const ready = (models.data?.results ?? []).filter((model) => model.state === 'ready').slice(0, MOST_MODELS)
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const first = ready.filter((model) => chosen === null || chosen.has(model.id)).map((model) => model.id)
  const [budget, setBudget] = useState(String(BUDGET_S))
  const seconds = Number(budget)
  const why = place === '' ? t('cal.start.noDevice', { type }) : !Number.isInteger(seconds) || seconds < 5 || seconds > 3600 ? '5–3600 s' : null
  const toggle = (id: string) => {
    const next = new Set(first)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  return (
    <Dialog open onClose={onClose} title={t('cal.start.title', { name })}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (why === null) start.mutate({ device: place, models: first, budget_s: seconds, count: CASES }, { onSuccess: onClose })
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
          <fieldset>
            <legend className="lab">{t('cal.start.models')}</legend>
            {ready.length === 0 && <p className="small s3">{t('cal.start.noModels')}</p>}
            <div className="cal-models">
              {ready.map((model) => (
                <label className="check" key={model.id}>
                  <input type="checkbox" checked={first.includes(model.id)} onChange={() => toggle(model.id)} />
                  <span className="cut">{model.name}</span>
                </label>
              ))}
            </div>
          </fieldset>
          <TextField label={t('cal.start.budget')} value={budget} onChange={setBudget} />
          {start.error && <ErrorBanner error={start.error} />}
        </div>
        <div className="dfoot">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="act" type="submit" busy={start.isPending} disabledReason={why}>
            {t('cal.start.go')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
