// The devices of a pool, a line each; a line opens into the form with all figures.
import { Fragment, useState } from 'react'

import type { DeviceRef, DeviceSpec, PoolSpec } from '../../api/types'
import { Button } from '../../components/Button'
import { Icon } from '../../components/icons'
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { BYTES_PER_GB, GFLOP_PER_TFLOP } from '../../format/units'
import { useT } from '../../i18n'
import { DeviceForm } from './DeviceForm'
import { removeDevice, renameDevice, updateDevice } from './draft'
import type { Draft } from './useDraft'

const COLUMNS = 8

/** Longer tables of devices scroll by themselves. */
export const LONGEST_TABLE = 24

const SHOWN_PRECISIONS = ['fp16', 'bf16', 'fp32', 'int8'] as const

/** The peak that people compare devices by: half precision where there is one. */
function headlinePeak(device: DeviceSpec): { precision: string; peak: number } | null {
  const peaks = device.peak_gflop_per_s ?? {}
  const precision = SHOWN_PRECISIONS.find((name) => name in peaks) ?? Object.keys(peaks)[0]
  const peak = precision === undefined ? undefined : peaks[precision]
  return precision === undefined || peak === undefined ? null : { precision, peak }
}

export interface DevicesTableProps {
  draft: Draft
  devices: readonly DeviceRef[]
  readOnly: boolean
}

export function DevicesTable({ draft, devices, readOnly }: DevicesTableProps) {
  const t = useT()
  const formats = useFormats()
  const [open, setOpen] = useState<number | null>(null)
  const { spec, change, errors, errorAt } = draft
  const wrongIn = (at: number) => errors.filter((error) => `${error.field}.`.startsWith(`devices.${at}.`)).length
  const figure = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? '–' : formats.figure(value, 4))
  return (
    <section className={spec.devices.length > LONGEST_TABLE ? 'sheet scroll-x long' : 'sheet scroll-x'}>
      <table className="roomy devices">
        <thead>
          <tr>
            <th>{t('pool.device')}</th>
            <th>{t('pool.template')}</th>
            <th className="num">{t('pool.peak')} TFLOP/s</th>
            <th className="num">{t('pool.memory')} GB</th>
            <th className="num">{t('pool.bandwidth')} GB/s</th>
            <th className="num">{t('pool.idleActive')} W</th>
            <th className="num">{t('pool.launch')} µs</th>
            <th>
              <span className="sr">{t('common.more')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {spec.devices.map((device, at) => {
            const shown = open === at
            const peak = headlinePeak(device)
            const wrong = wrongIn(at)
            const mark = devices[at]
            return (
              <Fragment key={at}>
                <tr className={shown ? 'opened' : undefined}>
                  <td>
                    <button type="button" className="disclose" aria-expanded={shown} onClick={() => setOpen(shown ? null : at)}>
                      <Icon name={shown ? 'chevron' : 'right'} />
                      {mark && <DeviceTag device={mark} />}
                      <b className="strong">{device.name}</b>
                      {wrong > 0 && <span className="wrong small">{t('pool.nErrors', { n: wrong })}</span>}
                    </button>
                  </td>
                  <td className="s2">{device.display_name ?? device.template}</td>
                  <td className="num">
                    {peak && (
                      <>
                        {figure(peak.peak / GFLOP_PER_TFLOP)} <span className="s3 precision">{peak.precision}</span>
                      </>
                    )}
                  </td>
                  <td className="num">{figure((device.memory_size_bytes ?? Number.NaN) / BYTES_PER_GB)}</td>
                  <td className="num">{figure(device.memory_bandwidth_gb_per_s)}</td>
                  <td className="num">
                    {figure(device.idle_power_w)} / {figure(device.active_power_w)}
                  </td>
                  <td className="num">{figure(device.launch_overhead_us)}</td>
                  <td className="num">
                    {!readOnly && (
                      <Button
                        kind="quiet"
                        size="s"
                        icon="trash"
                        aria-label={t('pool.removeDevice', { name: device.name })}
                        disabledReason={spec.devices.length === 1 ? t('pool.lastDevice') : null}
                        onClick={() => {
                          setOpen(null)
                          change(removeDevice(spec, at))
                        }}
                      />
                    )}
                  </td>
                </tr>
                {shown && (
                  <tr className="opened-form">
                    <td colSpan={COLUMNS}>
                      <DeviceForm
                        device={device}
                        path={`devices.${at}`}
                        readOnly={readOnly}
                        errorAt={errorAt}
                        onChange={(part) => change(updateDevice(spec, at, part))}
                        onRename={(name) => change(renameDevice(spec, at, name))}
                      />
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** How the devices of a draft are marked before the server has named them. */
export function marksOf(spec: PoolSpec): DeviceRef[] {
  const seen = new Map<string, number>()
  return spec.devices.map((device, at) => {
    const type = device.device_type ?? 'GPU'
    const index = seen.get(type) ?? 0
    seen.set(type, index + 1)
    return {
      name: device.name,
      tag: `${type.slice(0, 1)}${index}`,
      slot: at + 1,
      display_name: device.display_name ?? device.name,
      device_type: type,
    }
  })
}
