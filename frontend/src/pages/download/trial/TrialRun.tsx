// Trial run of the plan: start it on a host, watch and stop it, and see measured beside predicted.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import type { PlanPlace } from '../../../api/exports'
import { isActive, useHosts } from '../../../api/hardware'
import { useModel, useSession } from '../../../api/queries'
import { useDeleteTrial, useStartTrial, useStopTrial, useTakeBackTrial, useTrials, type PlanTrial } from '../../../api/trials'
import { ErrorBanner } from '../../../components/Banner'
import { Button } from '../../../components/Button'
import { SelectField } from '../../../components/Field'
import { Chip } from '../../../components/marks'
import { useFormats } from '../../../format/numbers'
import { useT } from '../../../i18n'
import { RunLine } from '../../hardware/RunLine'
import { TrialDevices, TrialFigures, TrialSegments } from './TrialTables'
import { TrialTimeline, type DeviceMark } from './TrialTimeline'
import { placeTexts, trialPlaces } from './places'

const MOST_DEVICES = 16

export interface TrialRunProps {
  place: PlanPlace
  modelId: string
  /** Of the pool that was searched; null where the model brought its own devices. */
  poolId: string | null
  devices: readonly DeviceMark[]
  may: boolean
}

interface EntryProps {
  row: PlanTrial
  modelId: string
  poolId: string | null
  devices: readonly DeviceMark[]
  why: string | null
}

function TakeBack({ row, modelId, poolId, why }: Omit<EntryProps, 'devices'>) {
  const t = useT()
  const take = useTakeBackTrial()
  if (row.profiles.length > 0) {
    return (
      <p className="small">
        {t('trial.takenBack', { n: row.profiles.length })}{' '}
        {poolId !== null && (
          <Link to="/pools/$id" params={{ id: poolId }}>
            {t('trial.takenBack.pool')}
          </Link>
        )}{' '}
        <Link to="/models/$id" params={{ id: modelId }}>
          {t('trial.takenBack.model')}
        </Link>
      </p>
    )
  }
  return (
    <>
      {take.error && <ErrorBanner error={take.error} />}
      <p className="row wrap">
        <Button size="s" busy={take.isPending} disabledReason={why} onClick={() => take.mutate(row.id)}>
          {t('trial.takeBack')}
        </Button>
        <span className="small s2 tr-why">{t('trial.takeBack.text')}</span>
      </p>
    </>
  )
}

function Entry({ row, modelId, poolId, devices, why }: EntryProps) {
  const t = useT()
  const formats = useFormats()
  const stop = useStopTrial()
  const remove = useDeleteTrial()
  const placed = placeTexts(row.places, t('list.comma')).join(' · ')
  return (
    <li className="stack">
      <p className="small s2">
        {t('trial.where', { host: row.host, when: formats.dateTime(row.created_at), places: placed })}
      </p>
      {row.stale.length > 0 && (
        <p className="small">
          <Chip tone="warn">{t('cal.stale')}</Chip>{' '}
          {row.stale.map((one) => t('trial.stale', { runtime: one.params.runtime ?? '' })).join(' ')}
        </p>
      )}
      {(stop.error ?? remove.error) && <ErrorBanner error={stop.error ?? remove.error} />}
      {!row.result && (
        <RunLine
          run={row}
          label={t('trial.title')}
          host={row.host}
          stopping={stop.isPending}
          whyNotStop={why}
          onStop={() => stop.mutate(row.id)}
        />
      )}
      {row.result && (
        <>
          <TrialFigures result={row.result} />
          <TrialTimeline segments={row.result.segments} devices={devices} />
          <TrialDevices result={row.result} devices={devices} />
          <TrialSegments result={row.result} devices={devices} />
          <TakeBack row={row} modelId={modelId} poolId={poolId} why={why} />
        </>
      )}
      {!isActive(row) && (
        <p>
          <Button size="s" kind="quiet" icon="trash" busy={remove.isPending} disabledReason={why} onClick={() => remove.mutate(row.id)}>
            {t('trial.delete')}
          </Button>
        </p>
      )}
    </li>
  )
}

export function TrialRun({ place, modelId, poolId, devices, may }: TrialRunProps) {
  const t = useT()
  const { data: model } = useModel(modelId)
  const { data: session } = useSession()
  const hosts = useHosts()
  const trials = useTrials(place)
  const start = useStartTrial(place)
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const places = trialPlaces(hosts.data?.hosts ?? [])
  const rows = trials.data?.results ?? []
  const owner = session?.permissions.includes('manage') || (model?.created_by && model.created_by.id === session?.user?.id)
  const given = Object.fromEntries(Object.entries(chosen).filter(([, id]) => places.some((one) => one.id === id)))
  const why =
    model && model.kind !== 'onnx'
      ? t('profile.onnxOnly')
      : !may
        ? t('forbidden.viewer')
        : !owner
          ? t('profile.onlyOwner')
          : hosts.data && places.length === 0
            ? t('trial.noHost')
            : rows.some(isActive)
              ? t('trial.underWay')
              : null
  return (
    <section className="sheet mt" aria-labelledby="trial-title">
      <div className="head">
        <h2 id="trial-title">{t('trial.title')}</h2>
        <div className="r">
          <Button busy={start.isPending} disabledReason={why} onClick={() => start.mutate(given)}>
            {t('trial.start')}
          </Button>
        </div>
      </div>
      <div className="body stack">
        <p className="small s2">{t('trial.text')}</p>
        {places.length > 1 && why === null && (
          <details className="small">
            <summary>{t('trial.choose')}</summary>
            <p className="s2 mt">{t('trial.chooseHint')}</p>
            <div className="dl-options mt">
              {devices.slice(0, MOST_DEVICES).map((device) => (
                <SelectField
                  key={device.name}
                  label={device.name}
                  value={given[device.name] ?? ''}
                  onChange={(id) => setChosen((old) => ({ ...old, [device.name]: id }))}
                >
                  <option value="">{t('trial.default')}</option>
                  {places.map((one) => (
                    <option key={one.id} value={one.id}>
                      {one.title}
                    </option>
                  ))}
                </SelectField>
              ))}
            </div>
          </details>
        )}
        {start.error && <ErrorBanner error={start.error} />}
        {rows.length > 0 && (
          <ul className="stack tr-runs">
            {rows.map((row) => (
              <Entry key={row.id} row={row} modelId={modelId} poolId={poolId} devices={devices} why={may ? null : t('forbidden.viewer')} />
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
