// The downloads of one plan: choose a format, make its archive, take it away.
import { useParams, useSearch as useAddress } from '@tanstack/react-router'
import { useState } from 'react'

import { useExports, usePlanFormats, useStartExport, type PlanPlace } from '../../api/exports'
import { failureOf } from '../../api/failure'
import { useSearch, useSession } from '../../api/queries'
import { BarContent } from '../../app/bar'
import { canPlan } from '../../app/permissions'
import { useTitle } from '../../app/title'
import { Banner } from '../../components/Banner'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { PageFailed } from '../Faults'
import { Archives } from './Archives'
import { Contents } from './Contents'
import { FormatList } from './FormatList'
import { FormatPanel } from './FormatPanel'
import { TrialRun } from './trial/TrialRun'

export function DownloadRoute() {
  const t = useT()
  const formats = useFormats()
  const { id, number } = useParams({ from: '/searches/$id/plans/$number/download' })
  const { hash } = useAddress({ from: '/searches/$id/plans/$number/download' })
  const place: PlanPlace = { search: id, number: Number(number), hash }
  const search = useSearch(id)
  const offered = usePlanFormats(place)
  const made = useExports(place)
  const start = useStartExport(place)
  const { data: session } = useSession()
  const [chosen, setChosen] = useState('plan-json')
  const title = t('download.title', { n: number })
  useTitle(title)
  const failed = [search, offered].find((query) => !query.data && failureOf(query) !== null)
  if (failed) return <PageFailed error={failureOf(failed)} onRetry={() => void failed.refetch()} />
  if (!search.data || !offered.data) return <main className="page" id="main" tabIndex={-1} aria-busy="true" />
  const { model, pool } = search.data
  const list = offered.data.formats
  const format = list.find((one) => one.key === chosen) ?? list[0]
  const may = canPlan(session)
  const exports = made.data?.results ?? []
  const newest = exports.find((one) => one.manifest !== null && one.format === format?.key)
  const crumbs = [
    { label: model.name, to: `/models/${model.id}` },
    { label: t('explorer.title', { number: search.data.number }), to: `/searches/${id}` },
    { label: t('download.crumb') },
  ]
  return (
    <main className="page" id="main" tabIndex={-1}>
      <BarContent crumbs={crumbs} />
      <div className="pagehead">
        <div>
          <h1>{title}</h1>
          <p className="s2">
            {t('download.intro', {
              segments: offered.data.segments,
              edges: offered.data.cut_edges,
              bytes: formats.bytes(offered.data.cut_bytes),
            })}
          </p>
        </div>
      </div>
      {offered.data.unavailable.map((one) => (
        <Banner key={one.name} tone="warn" title={t('download.unavailable', { name: one.name, reason: one.message })} />
      ))}
      <div className="dl">
        <FormatList
          formats={list}
          chosen={format?.key ?? ''}
          onChoose={(key) => {
            setChosen(key)
            start.reset()
          }}
        />
        <div>
          {format && (
            <FormatPanel
              key={format.key}
              format={format}
              devices={pool.devices.map((device) => device.name)}
              busy={start.isPending}
              error={start.error}
              disabledReason={may ? null : t('forbidden.viewer')}
              onMake={(options) => start.mutate({ format: format.key, options })}
            />
          )}
          <TrialRun place={place} modelId={model.id} poolId={pool.id} devices={pool.devices} may={may} />
          {made.data ? (
            <Archives place={place} exports={exports} may={may} />
          ) : failureOf(made) !== null ? (
            <LoadFailed error={failureOf(made)} onRetry={() => void made.refetch()} />
          ) : null}
          {newest && <Contents one={newest} />}
        </div>
      </div>
    </main>
  )
}
