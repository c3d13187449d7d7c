// Starts a comparison: what, on which two devices, and in which precision each.
import { useState } from 'react'

import { useStartComparison, type Host, type PrecisionRun } from '../../api/hardware'
import { useModels, useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { SelectField } from '../../components/Field'
import { useT } from '../../i18n'
import { places, type Place } from './MapList'

interface SideProps {
  label: string
  found: readonly Place[]
  several: boolean
  device: string
  precision: string
  onDevice: (id: string) => void
  onPrecision: (precision: string) => void
}

function Side({ label, found, several, device, precision, onDevice, onPrecision }: SideProps) {
  const t = useT()
  const chosen = found.find((place) => place.device.id === device)
  return (
    <div className="pc-side">
      <SelectField label={label} value={device} onChange={onDevice}>
        {found.map(({ host, runtime, device: one }) => (
          <option key={one.id} value={one.id} disabled={one.state !== 'healthy'}>
            {several ? `${host.name}: ` : ''}
            {runtime.name} · {one.name}
          </option>
        ))}
      </SelectField>
      <SelectField label={t('precision.computes')} value={precision} onChange={onPrecision}>
        <option value="model">{t('precision.asModel')}</option>
        <option value="default">{t('precision.byDefault')}</option>
        {chosen?.device.precisions.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

const HINTS: Record<string, 'precision.operators.hint' | 'precision.loss.hint'> = {
  operators: 'precision.operators.hint',
  loss: 'precision.loss.hint',
}

export function StartComparison({ hosts, onStarted }: { hosts: readonly Host[]; onStarted: (run: PrecisionRun) => void }) {
  const t = useT()
  const { data: session } = useSession()
  const models = useModels()
  const start = useStartComparison()
  const found = places(hosts)
  const healthy = found.filter((place) => place.device.state === 'healthy')
  const [what, setWhat] = useState('operators')
  const [left, setLeft] = useState({ device: '', precision: 'model' })
  const [right, setRight] = useState({ device: '', precision: 'model' })
  const leftId = left.device || healthy[0]?.device.id || ''
  const rightId = right.device || healthy.find((place) => place.device.id !== leftId)?.device.id || leftId
  const same = leftId === rightId && left.precision === right.precision
  const why = !canPlan(session) ? t('forbidden.viewer') : same ? t('precision.same') : null
  const runnable = (models.data?.results ?? []).filter((one) => one.kind === 'onnx' && one.state === 'ready')
  const submit = () =>
    start.mutate(
      {
        what: what === 'operators' || what === 'loss' ? { kind: what } : { model: what },
        left: leftId,
        left_precision: left.precision,
        right: rightId,
        right_precision: right.precision,
      },
      { onSuccess: onStarted },
    )
  return (
    <section className="sheet" aria-labelledby="compare-title">
      <div className="head">
        <h2 id="compare-title">{t('precision.start')}</h2>
      </div>
      <div className="body stack">
        <div className="pc-form">
          <SelectField label={t('precision.what')} value={what} onChange={setWhat}>
            <option value="operators">{t('precision.operators')}</option>
            <option value="loss">{t('precision.loss')}</option>
            {runnable.map((one) => (
              <option key={one.id} value={one.id}>
                {t('precision.model', { name: one.name })}
              </option>
            ))}
          </SelectField>
          <Side
            label={t('precision.left')}
            found={found}
            several={hosts.length > 1}
            device={leftId}
            precision={left.precision}
            onDevice={(device) => setLeft({ device, precision: 'model' })}
            onPrecision={(precision) => setLeft({ device: leftId, precision })}
          />
          <Side
            label={t('precision.right')}
            found={found}
            several={hosts.length > 1}
            device={rightId}
            precision={right.precision}
            onDevice={(device) => setRight({ device, precision: 'model' })}
            onPrecision={(precision) => setRight({ device: rightId, precision })}
          />
          <Button kind="act" icon="play" busy={start.isPending} disabledReason={why} onClick={submit}>
            {t('precision.compare')}
          </Button>
        </div>
        <p className="small s3">{t(HINTS[what] ?? 'precision.model.hint')}</p>
        {start.error && <ErrorBanner error={start.error} />}
      </div>
    </section>
  )
}
