// Lets a device of a pool run what a device of a host was found to run: takes the reasons of its operator map over.
import { useState } from 'react'

import { useOperatorMaps, useReadMap, type OperatorMapDetail } from '../../api/hardware'
import { Banner, ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { SelectField } from '../../components/Field'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { applyOperatorMap, mapReasons, MAP_SOURCE } from './draft'
import type { DevicePartProps } from './PrecisionTable'

/** What the pool keeps as the source of the list. */
function sourceOf(map: OperatorMapDetail): string {
  return `operator map of ${map.runtime} ${map.device ?? ''} on ${map.host}, ${map.created_at.slice(0, 10)}, fingerprint ${map.fingerprint ?? ''}`
}

export function OperatorMapPicker({ device, readOnly, onChange }: Pick<DevicePartProps, 'device' | 'readOnly' | 'onChange'>) {
  const t = useT()
  const formats = useFormats()
  const maps = useOperatorMaps()
  const read = useReadMap()
  const [chosen, setChosen] = useState('')
  const done = (maps.data ?? []).filter((map) => map.finished_at !== null && Object.keys(map.counts).length > 0)
  const reasons = mapReasons(device)
  const source = device.sources?.[MAP_SOURCE]
  const id = done.some((map) => map.id === chosen) ? chosen : (done[0]?.id ?? '')
  const use = () =>
    read.mutate(id, {
      onSuccess: (map) => {
        if (map.not_supported) onChange(applyOperatorMap(device, map.not_supported, sourceOf(map)))
      },
    })
  return (
    <>
      {!readOnly && done.length === 0 && <p className="small s3">{t('pool.map.none')}</p>}
      {!readOnly && done.length > 0 && (
        <div className="map-picker">
          <SelectField label={t('pool.map.use')} value={id} onChange={setChosen}>
            {done.map((map) => (
              <option key={map.id} value={map.id}>
                {map.host}: {map.runtime} · {map.device} ({formats.date(map.created_at)}){map.stale ? ` · ${t('hardware.stale')}` : ''}
              </option>
            ))}
          </SelectField>
          <Button busy={read.isPending} onClick={use}>
            {t('pool.map.apply')}
          </Button>
        </div>
      )}
      {read.error && <ErrorBanner error={read.error} />}
      {read.data?.not_supported === null && <Banner tone="warn" title={t('pool.map.old')} />}
      {source && (
        <div className="stack">
          <p className="small s2 row wrap">
            {t('pool.map.applied', { n: reasons.length, source })}
            {!readOnly && (
              <Button size="s" kind="quiet" onClick={() => onChange(applyOperatorMap(device, {}, null))}>
                {t('pool.map.remove')}
              </Button>
            )}
          </p>
          {reasons.length > 0 && (
            <details className="small">
              <summary>{t('pool.map.reasons')}</summary>
              <dl className="map-reasons">
                {reasons.map(([name, why]) => (
                  <div key={name}>
                    <dt className="mono">{name}</dt>
                    <dd>{why}</dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </div>
      )}
    </>
  )
}
