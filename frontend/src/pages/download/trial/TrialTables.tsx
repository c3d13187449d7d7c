// What a trial run found: figures, devices and segments, measured beside predicted.
import type { TrialResult } from '../../../api/trials'
import { DeviceTag } from '../../../components/marks'
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
          {result.outputs.some((one) => one.constant) && ` ${t('trial.constant')}`}
        </span>
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

export function TrialDevices({ result, devices }: { result: TrialResult; devices: readonly DeviceMark[] }) {
  const t = useT()
  const f = useFormats()
  const { ms, ratio } = useTimes()
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            <th>{t('trial.device')}</th>
            <th className="num">{t('trial.segments')}</th>
            <th className="num">{t('trial.predicted')}</th>
            <th className="num">{t('trial.measured')}</th>
            <th className="num">{t('trial.ratio')}</th>
            <th className="num">{t('trial.memory')}</th>
          </tr>
        </thead>
        <tbody>
          {devicesOf(result).map((row) => (
            <tr key={row.device}>
              <td className="nowrap">
                <Tag name={row.device} devices={devices} />
              </td>
              <td className="num">{f.number(row.segments)}</td>
              <td className="num nowrap">{ms(row.predicted)}</td>
              <td className="num nowrap">{ms(row.measured)}</td>
              <td className="num nowrap">{ratio(row.measured, row.predicted)}</td>
              <td className="num nowrap">{f.bytes(row.memory)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function TrialSegments({ result, devices }: { result: TrialResult; devices: readonly DeviceMark[] }) {
  const t = useT()
  const f = useFormats()
  const { ms, ratio } = useTimes()
  return (
    <details open={result.segments.length <= OPEN_SEGMENTS}>
      <summary>{t('trial.bySegment', { n: result.segments.length })}</summary>
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th className="num">{t('trial.segment')}</th>
              <th>{t('trial.device')}</th>
              <th className="num">{t('trial.operators')}</th>
              <th className="num">{t('trial.predicted')}</th>
              <th className="num">{t('trial.measured')}</th>
              <th className="num">{t('trial.ratio')}</th>
              <th className="num">{t('trial.memory')}</th>
            </tr>
          </thead>
          <tbody>
            {result.segments.map((segment) => (
              <tr key={segment.index}>
                <td className="num">{segment.index}</td>
                <td className="nowrap">
                  <Tag name={segment.device} devices={devices} />
                </td>
                <td className="num">{f.number(segment.operators)}</td>
                <td className="num nowrap">{ms(segment.predicted_ms)}</td>
                <td className="num nowrap">{ms(segment.measured_ms)}</td>
                <td className="num nowrap">{ratio(segment.measured_ms, segment.predicted_ms)}</td>
                <td className="num nowrap">{f.bytes(segment.memory_bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
