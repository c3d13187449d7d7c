// What copies between a device and its host were measured to take: the fit of each direction, what it misses, each size.
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

interface Fit {
  latency_s: number
  bytes_per_s: number
  residual: number
  worst: number
  samples: [bytes: number, measured_s: number, fitted_s: number][]
}
export type Transfers = Partial<Record<'h2d' | 'd2h', Fit>>

const US = 1e6
const GB = 1e9

export function TransferFits({ transfers }: { transfers: Transfers }) {
  const t = useT()
  const formats = useFormats()
  const { h2d, d2h } = transfers
  if (!h2d || !d2h) return null
  const ways = [['h2d', h2d], ['d2h', d2h]] as const
  return (
    <details className="small">
      <summary>{t('cal.transfers')}</summary>
      <dl className="cal-list">
        {ways.map(([way, fit]) => (
          <div key={way}>
            <dt className="strong">{t(`cal.transfers.${way}`)}</dt>
            <dd>
              {t('cal.transfers.fit', {
                latency: formats.figure(fit.latency_s * US),
                bandwidth: formats.figure(fit.bytes_per_s / GB),
                residual: formats.share(fit.residual),
                worst: formats.share(fit.worst),
              })}
            </dd>
          </div>
        ))}
      </dl>
      <div className="scroll-x">
        <table className="small-table">
          <thead>
            <tr>
              <th className="num">{t('cal.transfers.size')}</th>
              {ways.map(([way]) => (
                <th key={way} colSpan={2} scope="colgroup">
                  {t(`cal.transfers.${way}`)}
                </th>
              ))}
            </tr>
            <tr>
              <th />
              {ways.flatMap(([way]) => [
                <th key={`${way} measured`} className="num">{t('cal.transfers.measured')}</th>,
                <th key={`${way} fitted`} className="num">{t('cal.transfers.fitted')}</th>,
              ])}
            </tr>
          </thead>
          <tbody>
            {h2d.samples.map(([size], at) => (
              <tr key={size}>
                <td className="num">{formats.bytes(size)}</td>
                {ways.flatMap(([way, fit]) => [
                  <td key={`${way} measured`} className="num">{formats.figure((fit.samples[at]?.[1] ?? 0) * US)}</td>,
                  <td key={`${way} fitted`} className="num s2">{formats.figure((fit.samples[at]?.[2] ?? 0) * US)}</td>,
                ])}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
