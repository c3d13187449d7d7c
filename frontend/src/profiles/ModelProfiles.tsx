// The profiles of a model, and the start of another one: for its owner alone, because a runtime opens the model.
import { useState } from 'react'

import { isActive, useHosts } from '../api/hardware'
import { useDeleteProfile, useProfiles, useStartProfile, useStopProfile, type ModelProfile } from '../api/profiles'
import { useSession } from '../api/queries'
import type { Model } from '../api/types'
import { ErrorBanner } from '../components/Banner'
import { Button } from '../components/Button'
import { ConfirmDialog } from '../components/ConfirmDialog'
import { SelectField } from '../components/Field'
import { useFormats } from '../format/numbers'
import { useT } from '../i18n'
import { RunLine } from '../pages/hardware/RunLine'
import { originText } from './origin'
import { healthyPlaces } from './places'

function Longest({ row }: { row: ModelProfile }) {
  const t = useT()
  const formats = useFormats()
  const operators = row.figures?.longest ?? []
  return (
    <details className="small">
      <summary>{t('profile.longest')}</summary>
      <table>
        <thead>
          <tr>
            <th>{t('profile.operator')}</th>
            <th className="num">{t('profile.time')}</th>
          </tr>
        </thead>
        <tbody>
          {operators.map((operator) => (
            <tr key={operator.index}>
              <td className="mono cut" title={operator.output}>
                {operator.output || `#${operator.index}`}
              </td>
              <td className="num">{`${formats.figure(operator.time_ms)} ms`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

function Entry({ row, why }: { row: ModelProfile; why: string | null }) {
  const t = useT()
  const formats = useFormats()
  const stop = useStopProfile()
  const remove = useDeleteProfile()
  const [asking, setAsking] = useState(false)
  const figures = row.figures
  return (
    <li className="stack">
      <p className="row wrap">
        <b className="strong cut">{row.device}</b>
        <span className="s2">{[originText(t, row), row.host, row.runtime, row.measured_at && formats.dateTime(row.measured_at)].filter(Boolean).join(' · ')}</span>
      </p>
      {row.state !== 'done' ? (
        <RunLine run={row} device={row.device_id} label={row.device} stopping={stop.isPending} whyNotStop={why} onStop={() => stop.mutate(row.id)} />
      ) : null}
      {figures && (
        <>
          <p className="small">
            {t('profile.total', { time: `${formats.figure(figures.total_ms)} ms` })} ·{' '}
            <span className="s2">
              {figures.kind === 'trial'
                ? t('profile.trialFactor', { factor: formats.figure(figures.scale), n: figures.n_operators, spread: formats.share(figures.spread) })
                : t('profile.found', { share: formats.share(figures.matched, 1), spread: formats.share(figures.spread) })}
            </span>
          </p>
          {!row.current && <p className="small s3">{t('profile.earlier')}</p>}
          {row.stale && <p className="small wrong">{t('profile.stale')}</p>}
          <Longest row={row} />
        </>
      )}
      <p className="row wrap">
        {figures && (
          <a className="btn s" href={`/api/profiles/${row.id}/file/`}>
            {t('profile.download')}
          </a>
        )}
        {!isActive(row) && (
          <Button size="s" kind="quiet" icon="trash" disabledReason={why} onClick={() => setAsking(true)}>
            {t('profile.delete')}
          </Button>
        )}
      </p>
      <ConfirmDialog
        open={asking}
        title={t('profile.delete.ask', { name: row.device })}
        action={t('profile.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(row.id, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        {t('profile.delete.text')}
      </ConfirmDialog>
    </li>
  )
}

export function ModelProfiles({ model, editable }: { model: Model; editable: boolean }) {
  const t = useT()
  const { data: session } = useSession()
  const profiles = useProfiles(model.id)
  const hosts = useHosts()
  const start = useStartProfile(model.id)
  const places = healthyPlaces(hosts.data?.hosts ?? [])
  const [chosen, setChosen] = useState('')
  const place = chosen || (places[0]?.id ?? '')
  const owner = session?.permissions.includes('manage') || (model.created_by !== null && model.created_by.id === session?.user?.id)
  const why = !owner ? t('profile.onlyOwner') : model.kind !== 'onnx' ? t('profile.onnxOnly') : place === '' ? t('profile.noDevice') : null
  const rows = profiles.data?.results ?? []
  return (
    <section className="sheet" aria-labelledby="profiles-title">
      <div className="head">
        <h2 id="profiles-title">{t('profile.title')}</h2>
      </div>
      <div className="body stack">
        <p className="small s2">{t('profile.text')}</p>
        {places.length > 0 && (
          <SelectField label={t('profile.device')} value={place} onChange={setChosen}>
            {places.map((one) => (
              <option key={one.id} value={one.id}>
                {one.title}
              </option>
            ))}
          </SelectField>
        )}
        <p>
          <Button size="s" busy={start.isPending} disabledReason={why} onClick={() => start.mutate(place)}>
            {t('profile.go')}
          </Button>
        </p>
        {start.error && <ErrorBanner error={start.error} />}
        {rows.length > 0 && (
          <ul className="stack">
            {rows.map((row) => (
              <Entry key={row.id} row={row} why={editable ? null : t('forbidden.viewer')} />
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
