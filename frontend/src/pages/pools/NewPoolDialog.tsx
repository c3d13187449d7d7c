// Makes a pool: a name, devices from templates, and their names.
import { useNavigate } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'

import { useCreatePool } from '../../api/mutations'
import type { DeviceTemplate, PoolSpec } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { TextField } from '../../components/Field'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { marksOf } from './DevicesTable'
import { freeName } from './draft'
import { TemplatePicker } from './TemplatePicker'

interface Chosen {
  template: DeviceTemplate
  name: string
}

/** Keeps the names of devices that stay, and names the new ones. */
function follow(chosen: readonly Chosen[], templates: readonly DeviceTemplate[]): Chosen[] {
  const left = [...chosen]
  const next: Chosen[] = []
  for (const template of templates) {
    const at = left.findIndex((one) => one.template.name === template.name)
    const kept = at < 0 ? undefined : left.splice(at, 1)[0]
    const taken = [...next, ...left].map((one) => one.name)
    next.push(kept ?? { template, name: freeName(template.device_type, taken) })
  }
  return next
}

function specOf(name: string, chosen: readonly Chosen[]): PoolSpec {
  return { name, devices: chosen.map((one) => ({ name: one.name.trim(), template: one.template.name })) }
}

function NameList({ chosen, onChange }: { chosen: readonly Chosen[]; onChange: (chosen: Chosen[]) => void }) {
  const t = useT()
  const marks = marksOf({
    name: '',
    devices: chosen.map((one) => ({ name: one.name, device_type: one.template.device_type })),
  })
  return (
    <fieldset>
      <legend className="lab">{t('pool.new.names')}</legend>
      {chosen.length === 0 && <p className="small s3">{t('pool.new.noDevices')}</p>}
      <div className="names">
        {chosen.map((one, at) => {
          const mark = marks[at]
          return (
            <label className="row" key={at}>
              {mark && <DeviceTag device={mark} />}
              <input
                className="in"
                value={one.name}
                aria-label={t('pool.nameOf', { name: one.template.display_name })}
                onChange={(event) =>
                  onChange(chosen.map((other, index) => (index === at ? { ...other, name: event.target.value } : other)))
                }
              />
              <span className="small s2 cut">{one.template.display_name}</span>
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}

export function NewPoolDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const navigate = useNavigate()
  const create = useCreatePool()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Chosen[]>([])
  const why = name.trim() === '' ? t('pool.new.needName') : chosen.length === 0 ? t('pool.chooseOne') : null
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (why !== null || create.isPending) return
    create.mutate(specOf(name.trim(), chosen), {
      onSuccess: (pool) => void navigate({ to: '/pools/$id', params: { id: pool.id } }),
    })
  }
  return (
    <Dialog open wide onClose={onClose} title={t('pools.new')}>
      <form onSubmit={submit} noValidate>
        <div className="dbody new-pool">
          <div>
            <p className="lab">{t('pool.new.devices')}</p>
            <TemplatePicker
              chosen={chosen.map((one) => one.template)}
              onChange={(templates) => setChosen(follow(chosen, templates))}
            />
          </div>
          <div className="stack">
            <TextField label={t('pool.poolName')} value={name} autoFocus maxLength={200} onChange={setName} />
            <NameList chosen={chosen} onChange={setChosen} />
            <p className="small s3">{t('pool.new.links')}</p>
            {create.error && <ErrorBanner error={create.error} />}
          </div>
        </div>
        <div className="dfoot">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="act" type="submit" busy={create.isPending} disabledReason={why}>
            {t('pool.new.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
