// What a trial run found: figures, devices and segments, measured beside predicted.
import type { ReactNode } from 'react'

import type { TrialResult } from '../../../api/trials'
import { Chip, DeviceTag } from '../../../components/marks'
import { useFormats } from '../../../format/numbers'
import { useT } from '../../../i18n'
import { devicesOf, worstOutput } from './lanes'
import type { DeviceMark } from './TrialTimeline'

const OPEN_SEGMENTS = 8

function useTimes() {
  const f = useFormats()
  return {
    ms: (value: number) => `${f.figure(value)} ms`,
    ratio: (measured: number, predicted: number) => (predicted > 0 ? `× ${f.figure(measured / predicted)}` : '–'),
  }
}

export function TrialFigures({ result }: { result: TrialResult }) {
  const t = useT()
  const f = useFormats()
  const { ms, ratio } = useTimes()
  const rate = (value: number) => t('trial.perSecond', { n: f.figure(value) })
  const rows = [
    [t('trial.latency'), ms, result.predicted_latency_ms, result.latency_ms],
    [t('trial.throughput'), rate, result.predicted_throughput_per_s, result.throughput_per_s],
  ] as const
  const worst = worstOutput(result)
  const silent = result.outputs.length > 0 && result.outputs.every((one) => one.constant)
  return (
    <>
      <p>
        {worst === null
          ? null
          : worst.distance === null
            ? t('trial.wrong', { name: worst.name })
            : t(worst.within ? 'trial.within' : 'trial.beyond', {
                distance: f.small(worst.distance),
                tolerance: f.small(worst.tolerance),
                name: worst.name,
              })}{' '}
        <span className="s2">
          {t('trial.whole', { time: ms(result.whole_ms) })}
          {result.random_weights > 0 && ` ${t('trial.random', { n: result.random_weights })}`}
          {!silent && result.outputs.some((one) => one.constant) && ` ${t('trial.constant')}`}
        </span>
        {silent && (
          <>
            {' '}
            <Chip tone="warn">{t('trial.constantAll')}</Chip>
          </>
        )}
      </p>
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th />
              <th className="num">{t('trial.predicted')}</th>
              <th className="num">{t('trial.measured')}</th>
              <th className="num">{t('trial.ratio')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, text, predicted, measured]) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="num nowrap">{text(predicted)}</td>
                <td className="num nowrap">{text(measured)}</td>
                <td className="num nowrap">{ratio(measured, predicted)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Tag({ name, devices }: { name: string; devices: readonly DeviceMark[] }) {
  const device = devices.find((one) => one.name === name) ?? { name, tag: name, slot: 1 }
  return (
    <span className="tr-tag">
      <DeviceTag device={device} /> {name}
    </span>
  )
}

/** What tables of segments and of devices show alike. */
interface Row {
  device: string
  predicted: number
  measured: number
  memory: number
}

interface Column<T> {
  title: string
  text: (row: T) => ReactNode
  /** Names are to the left, figures to the right. */
  name?: boolean
}

/** A device, what is counted of it, and then what every row has: predicted, measured, their ratio, memory. */
function useColumns<T extends Row>(devices: readonly DeviceMark[], counted: Column<T>): Column<T>[] {
  const t = useT()
  const f = useFormats()
  const { ms, ratio } = useTimes()
  return [
    { title: t('trial.device'), text: (row) => <Tag name={row.device} devices={devices} />, name: true },
    counted,
    { title: t('trial.predicted'), text: (row) => ms(row.predicted) },
    { title: t('trial.measured'), text: (row) => ms(row.measured) },
    { title: t('trial.ratio'), text: (row) => ratio(row.measured, row.predicted) },
    { title: t('trial.memory'), text: (row) => f.bytes(row.memory) },
  ]
}

function Table<T>({ columns, rows, keyOf }: { columns: readonly Column<T>[]; rows: readonly T[]; keyOf: (row: T) => string | number }) {
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            {columns.map(({ title, name }) => (
              <th key={title} className={name ? undefined : 'num'}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, text, name }) => (
                <td key={title} className={name ? 'nowrap' : 'num nowrap'}>
                  {text(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function TrialDevices({ result, devices }: { result: TrialResult; devices: readonly DeviceMark[] }) {
  const t = useT()
  const f = useFormats()
  const rows = devicesOf(result)
  const columns = useColumns<(typeof rows)[number]>(devices, { title: t('trial.segments'), text: (row) => f.number(row.segments) })
  return <Table columns={columns} rows={rows} keyOf={(row) => row.device} />
}

export function TrialSegments({ result, devices }: { result: TrialResult; devices: readonly DeviceMark[] }) {
  const t = useT()
  const f = useFormats()
  const rows = result.segments.map(({ index, device, operators, predicted_ms, measured_ms, memory_bytes }) => ({
    index, device, operators, predicted: predicted_ms, measured: measured_ms, memory: memory_bytes,
  }))
  const columns = useColumns<(typeof rows)[number]>(devices, { title: t('trial.operators'), text: (row) => f.number(row.operators) })
  return (
    <details open={rows.length <= OPEN_SEGMENTS}>
      <summary>{t('trial.bySegment', { n: rows.length })}</summary>
      <Table columns={[{ title: t('trial.segment'), text: (row) => row.index }, ...columns]} rows={rows} keyOf={(row) => row.index} />
    </details>
  )
}
