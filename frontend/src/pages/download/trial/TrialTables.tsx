// What a trial run found: figures and segments, measured beside predicted.
import type { TrialResult } from '../../../api/trials'
import { useFormats } from '../../../format/numbers'
import { useT } from '../../../i18n'
import { worstOutput } from './lanes'

export function TrialFigures({ result }: { result: TrialResult }) {
  const t = useT()
  const f = useFormats()
  const rate = (value: number) => t('trial.perSecond', { n: f.figure(value) })
  const rows = [
    [t('trial.latency'), f.seconds(result.predicted_latency_ms / 1000), f.seconds(result.latency_ms / 1000),
      result.latency_ms / result.predicted_latency_ms],
    [t('trial.throughput'), rate(result.predicted_throughput_per_s), rate(result.throughput_per_s),
      result.throughput_per_s / result.predicted_throughput_per_s],
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
          {t('trial.whole', { time: f.seconds(result.whole_ms / 1000) })}
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
            {rows.map(([name, predicted, measured, ratio]) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="num nowrap">{predicted}</td>
                <td className="num nowrap">{measured}</td>
                <td className="num nowrap">{f.multiple(ratio)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

export function TrialSegments({ result }: { result: TrialResult }) {
  const t = useT()
  const f = useFormats()
  return (
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
              <td>{segment.device}</td>
              <td className="num">{f.number(segment.operators)}</td>
              <td className="num nowrap">{f.seconds(segment.predicted_ms / 1000)}</td>
              <td className="num nowrap">{f.seconds(segment.measured_ms / 1000)}</td>
              <td className="num nowrap">
                {f.multiple(segment.predicted_ms > 0 ? segment.measured_ms / segment.predicted_ms : null)}
              </td>
              <td className="num nowrap">{f.bytes(segment.memory_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
