// What comes next for a pool whose figures are estimated: calibrate its devices, then plan a model on it.
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'

import { useCalibrations, useStopCalibration } from '../../api/calibrations'
import { useModels } from '../../api/queries'
import type { Pool } from '../../api/types'
import { Button } from '../../components/Button'
import { Chip, DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { RunLine } from '../hardware/RunLine'
import { CalibratePoolDialog } from './CalibratePoolDialog'
import { isEstimated, placeOf } from './draft'

const SHOWN_MODELS = 4

function Step({ n, done, title, children }: { n: number; done: boolean; title: string; children: ReactNode }) {
  const t = useT()
  return (
    <li className={done ? 'step done' : 'step'}>
      <span className="n" aria-hidden="true">
        {n}
      </span>
      <div className="stack">
        <h3>
          {title} {done && <Chip tone="ok">{t('step.done')}</Chip>}
        </h3>
        {children}
      </div>
    </li>
  )
}

export function NextSteps({ pool, may }: { pool: Pool; may: boolean }) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  const models = useModels()
  const calibrations = useCalibrations()
  const stop = useStopCalibration()
  const estimated = pool.spec.devices.filter(isEstimated)
  if (pool.is_sample || (pool.host === null && estimated.length === 0)) return null
  const measurable = pool.spec.devices.filter((device) => placeOf(device) !== undefined)
  const missing = measurable.filter((device) => !pool.calibrations[device.name])
  const awaited = Object.entries(pool.awaited)
  const done = missing.length === 0 && awaited.length === 0
  const ready = (models.data?.results ?? []).filter((model) => model.state === 'ready')
  const rows = new Map((calibrations.data?.results ?? []).map((row) => [row.id, row]))
  const marks = new Map(pool.devices.map((device) => [device.name, device]))
  return (
    <section className="sheet next-steps" aria-labelledby="steps-title">
      <h2 id="steps-title" className="sr">
        {t('step.title')}
      </h2>
      <ol>
        <Step n={1} done title={t('step.pool')}>
          <p className="small s2">{t('step.pool.text', { n: estimated.length })}</p>
        </Step>
        <Step n={2} done={done} title={t('step.calibrate')}>
          {awaited.length > 0 ? (
            awaited.map(([name, id]) => {
              const row = rows.get(id)
              const mark = marks.get(name)
              return (
                <div className="row wrap small" key={name}>
                  {mark && <DeviceTag device={mark} />}
                  <span className="grow">{row && <RunLine run={row} device={row.device_id} label={name} stopping={stop.isPending} whyNotStop={may ? null : t('forbidden.viewer')} onStop={() => stop.mutate(id)} />}</span>
                </div>
              )
            })
          ) : (
            <>
              <p className="small s2">{done ? t('step.calibrate.done', { n: measurable.length }) : t('step.calibrate.text')}</p>
              {measurable.length === 0 && <p className="small s2">{t('step.calibrate.none')}</p>}
              {measurable.length > 0 && (
                <p>
                  <Button size="s" disabledReason={may ? null : t('forbidden.viewer')} onClick={() => setAsking(true)}>
                    {done ? t('step.calibrate.again') : t('step.calibrate.go', { n: measurable.length })}
                  </Button>
                </p>
              )}
            </>
          )}
        </Step>
        <Step n={3} done={false} title={t('step.plan')}>
          <p className="small s2">{done ? t('step.plan.text') : t('step.plan.early')}</p>
          <p className="row wrap small">
            {ready.slice(0, SHOWN_MODELS).map((model) => (
              <Link key={model.id} to="/models/$id" params={{ id: model.id }} search={{ pool: pool.id }}>
                {model.name}
              </Link>
            ))}
            {ready.length !== 0 && ready.length <= SHOWN_MODELS ? null : <Link to="/models">{t('step.plan.models')}</Link>}
          </p>
        </Step>
      </ol>
      {asking && <CalibratePoolDialog pool={pool} devices={measurable.map((device) => device.name)} onClose={() => setAsking(false)} />}
    </section>
  )
}
