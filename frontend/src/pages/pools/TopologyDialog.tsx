// Makes a pool of what a topology tool printed on some machine; devices that match no template get one by hand.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { useReadTopology, type TopologyPool } from '../../api/machines'
import { useCreatePool } from '../../api/mutations'
import { useTemplates } from '../../api/queries'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { SelectField, TextField } from '../../components/Field'
import { FileButton } from '../../components/FileButton'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { marksOf } from './DevicesTable'

const COMMANDS = ['nvidia-smi topo -m', 'lstopo --of xml', 'npu-smi info -t topo', 'heteroopt topology --json']
const TYPES = { gpu: 'GPU', npu: 'NPU', package: 'CPU' } as const

function typeOf(kind: string) {
  return kind in TYPES ? TYPES[kind as keyof typeof TYPES] : 'GPU'
}

function Found({ found, templates, onChoose }: { found: TopologyPool['found']; templates: Record<string, string>; onChoose: (name: string, template: string) => void }) {
  const t = useT()
  const known = useTemplates()
  const marks = marksOf({ name: '', devices: found.map(({ name, kind }) => ({ name, device_type: typeOf(kind) })) })
  return (
    <ul className="topo-found">
      {found.map((device, at) => {
        const mark = marks[at]
        return (
          <li key={device.name}>
            <span className="row">
              {mark && <DeviceTag device={mark} />} <b className="strong">{device.name}</b> <span className="small s2">{device.title}</span>
            </span>
            {device.template !== '' && !(device.name in templates) ? (
              <span className="small s2">{device.template}</span>
            ) : (
              <SelectField
                label={t('topo.template', { name: device.name })}
                hint={t('topo.needTemplate')}
                value={templates[device.name] ?? ''}
                onChange={(value) => onChoose(device.name, value)}
              >
                <option value="">{t('topo.choose')}</option>
                {known.data
                  ?.filter((one) => one.device_type === typeOf(device.kind))
                  .map((one) => (
                    <option key={one.name} value={one.name}>
                      {one.display_name}
                    </option>
                  ))}
              </SelectField>
            )}
          </li>
        )
      })}
    </ul>
  )
}

export function TopologyDialog({ onClose }: { onClose: () => void }) {
  const t = useT()
  const navigate = useNavigate()
  const read = useReadTopology()
  const create = useCreatePool()
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const [templates, setTemplates] = useState<Record<string, string>>({})
  const found = read.data?.found ?? null
  const spec = read.data?.spec ?? null
  const missing = found?.some((device) => (templates[device.name] ?? device.template) === '') ?? false
  const ask = (chosen: Record<string, string>, then?: (answer: TopologyPool) => void) =>
    read.mutate({ text, templates: chosen, name: name.trim() }, then ? { onSuccess: then } : {})
  const make = () =>
    ask(templates, (answer) => {
      if (answer.spec) create.mutate(answer.spec, { onSuccess: (pool) => void navigate({ to: '/pools/$id', params: { id: pool.id } }) })
    })
  const change = (value: string) => {
    setText(value)
    setTemplates({})
    read.reset()
  }
  const why = text.trim() === '' ? t('topo.empty') : missing ? t('topo.missing') : null
  return (
    <Dialog open wide onClose={onClose} title={t('topo.title')}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (why !== null || read.isPending || create.isPending) return
          if (found) make()
          else ask(templates)
        }}
      >
        <div className="dbody stack">
          <p className="s2">{t('topo.text')}</p>
          <p className="row wrap">
            {COMMANDS.map((command) => (
              <code className="command" key={command}>
                {command}
              </code>
            ))}
          </p>
          <label className="field">
            <span className="lab">{t('topo.paste')}</span>
            <textarea className="in topo-text" rows={8} spellCheck={false} value={text} onChange={(event) => change(event.target.value)} />
          </label>
          <p>
            <FileButton size="s" icon="up" accept=".txt,.xml,.json,.log" onFiles={([file]) => file && void file.text().then(change)}>
              {t('topo.file')}
            </FileButton>
          </p>
          {read.error && <ErrorBanner error={read.error} />}
          {found && (
            <>
              <h3>
                {t('topo.found', { n: found.length })}
                {spec && <span className="s3 small"> · {t('topo.links', { n: spec.links?.length ?? 0 })}</span>}
              </h3>
              <Found found={found} templates={templates} onChoose={(device, template) => setTemplates({ ...templates, [device]: template })} />
              <TextField label={t('topo.name')} value={name} maxLength={200} onChange={setName} />
            </>
          )}
          {create.error && <ErrorBanner error={create.error} />}
        </div>
        <div className="dfoot">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="act" type="submit" busy={read.isPending || create.isPending} disabledReason={why}>
            {found ? t('topo.make') : t('topo.read')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
