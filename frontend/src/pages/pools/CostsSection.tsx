// What operators cost on a pool's devices: which calibration each uses, how to make one, and all that there are.
import { useState } from 'react'

import { useCalibrations, useChooseCalibrations, useUploadCalibration } from '../../api/calibrations'
import { useHosts } from '../../api/hardware'
import type { DeviceRef, Pool } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { FileButton } from '../../components/FileButton'
import { DeviceTag } from '../../components/marks'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { CostModels } from '../../profiles/CostModels'
import { PoolProfiles } from '../../profiles/PoolProfiles'
import { CalibrateDialog } from './CalibrateDialog'
import { CalibrationList } from './CalibrationList'
import { CostChip } from './CostChip'
import { LONGEST_TABLE } from './DevicesTable'
import { isEstimated } from './draft'

export interface CostsSectionProps {
  pool: Pool
  may: boolean
  dirty: boolean
}

export function CostsSection({ pool, may, dirty }: CostsSectionProps) {
  const t = useT()
  const formats = useFormats()
  const found = useCalibrations()
  const hosts = useHosts()
  const choose = useChooseCalibrations(pool)
  const upload = useUploadCalibration()
  const [measuring, setMeasuring] = useState<DeviceRef | null>(null)
  const rows = found.data?.results ?? []
  const byId = new Map(rows.map((row) => [row.id, row]))
  const forbidden = may ? null : t('forbidden.viewer')
  const whyNotChoose = forbidden ?? (pool.is_sample ? t('cal.sample') : dirty ? t('cal.save.first') : null)
  const usable = rows.filter((row) => row.measured_at !== null)
  const estimated = new Set(pool.spec.devices.filter(isEstimated).map((device) => device.name))
  const set = (name: string, id: string) => {
    const next = Object.fromEntries(Object.entries(pool.calibrations).filter(([device]) => device !== name))
    choose.mutate(id === '' ? next : { ...next, [name]: id })
  }
  return (
    <>
      <section className="sheet mt" aria-labelledby="costs-title">
        <div className="head cal-head">
          <h2 id="costs-title">{t('cal.title')}</h2>
          <span className="small s3">{t('cal.intro')}</span>
          <span className="r">
            <FileButton size="s" icon="up" accept=".json" disabledReason={forbidden} onFiles={([file]) => file && upload.mutate(file)}>
              {t('cal.upload')}
            </FileButton>
          </span>
        </div>
        {choose.error && <ErrorBanner error={choose.error} />}
        {upload.error && <ErrorBanner error={upload.error} />}
        <div className={pool.devices.length > LONGEST_TABLE ? 'scroll-x long' : 'scroll-x'}>
          <table className="roomy">
            <thead>
              <tr>
                <th>{t('cal.device')}</th>
                <th>{t('cal.costs')}</th>
                <th className="num">{t('cal.heldOut')}</th>
                <th>{t('cal.use')}</th>
                <th>
                  <span className="sr">{t('common.more')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {pool.devices.map((device) => {
                const used = byId.get(pool.calibrations[device.name] ?? '')
                return (
                  <tr key={device.name}>
                    <td>
                      <span className="row">
                        <DeviceTag device={device} />
                        <b className="strong">{device.name}</b>
                      </span>
                    </td>
                    <td>
                      <CostChip calibration={used} estimated={estimated.has(device.name)} />
                    </td>
                    <td className="num">{used?.held_out ? formats.share(used.held_out.mape, 1) : '–'}</td>
                    <td>
                      <select
                        className="in cal-use"
                        aria-label={t('cal.use.of', { name: device.name })}
                        title={whyNotChoose ?? undefined}
                        disabled={whyNotChoose !== null || choose.isPending}
                        value={pool.calibrations[device.name] ?? ''}
                        onChange={(event) => set(device.name, event.target.value)}
                      >
                        <option value="">{t('cal.none')}</option>
                        {usable.map((row) => (
                          <option key={row.id} value={row.id}>
                            {[row.device, row.runtime, row.host, row.measured_at && formats.dateTime(row.measured_at)].filter(Boolean).join(' · ')}
                          </option>
                        ))}
                      </select>
                    </td>
                    <td className="num">
                      <Button size="s" disabledReason={forbidden} onClick={() => setMeasuring(device)}>
                        {t('cal.here')}
                      </Button>
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      </section>
      <PoolProfiles pool={pool} whyNot={whyNotChoose} />
      <section className="sheet mt" aria-labelledby="calibrations-title">
        <div className="head cal-head">
          <h2 id="calibrations-title">{t('cal.list')}</h2>
        </div>
        {found.error && !found.data ? <LoadFailed error={found.error} onRetry={() => void found.refetch()} /> : <CalibrationList rows={rows} may={may} />}
        <CostModels />
        <details className="cal-elsewhere small">
          <summary>{t('cal.elsewhere')}</summary>
          <div className="stack">
            <p className="s2 read">{t('cal.elsewhere.text')}</p>
            <code className="command hw-command">python calibrator.py --runtime onnxruntime --cases cases.json --out bundle.json</code>
            <p className="row wrap">
              <a className="btn s" href="/api/calibrations/calibrator/">
                {t('cal.elsewhere.calibrator')}
              </a>
              <a className="btn s" href="/api/calibrations/cases/">
                {t('cal.elsewhere.cases')}
              </a>
            </p>
          </div>
        </details>
      </section>
      {measuring && (
        <CalibrateDialog name={measuring.name} type={measuring.device_type} hosts={hosts.data?.hosts ?? []} pool={pool} onClose={() => setMeasuring(null)} />
      )}
    </>
  )
}
