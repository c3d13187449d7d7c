// Fits of measured copies, a column pair each: size, measured, fitted.
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

export interface Fit {
  latency_s: number
  bytes_per_s: number
  residual: number
  worst: number
  /** Bytes, seconds measured, seconds fitted. */
  samples: readonly (readonly number[])[]
}

const US = 1e6
const GB = 1e9

/** Latency, bandwidth and what the fit misses, in a sentence. */
export function useFitText() {
  const t = useT()
  const formats = useFormats()
  return (fit: Fit) =>
    t('cal.transfers.fit', {
      latency: formats.figure(fit.latency_s * US),
      bandwidth: formats.figure(fit.bytes_per_s / GB),
      residual: formats.share(fit.residual),
      worst: formats.share(fit.worst),
    })
}

/** Of fits over the same sizes. */
export function FitTable({ columns }: { columns: readonly { title: string; fit: Fit }[] }) {
  const t = useT()
  const formats = useFormats()
  return (
    <div className="scroll-x">
      <table className="small-table">
        <thead>
          <tr>
            <th className="num">{t('cal.transfers.size')}</th>
            {columns.map(({ title }) => (
              <th key={title} colSpan={2} scope="colgroup">
                {title}
              </th>
            ))}
          </tr>
          <tr>
            <th />
            {columns.flatMap(({ title }) => [
              <th key={`${title} measured`} className="num">{t('cal.transfers.measured')}</th>,
              <th key={`${title} fitted`} className="num">{t('cal.transfers.fitted')}</th>,
            ])}
          </tr>
        </thead>
        <tbody>
          {columns[0]?.fit.samples.map(([size = 0], at) => (
            <tr key={size}>
              <td className="num">{formats.bytes(size)}</td>
              {columns.flatMap(({ title, fit }) => [
                <td key={`${title} measured`} className="num">{formats.figure((fit.samples[at]?.[1] ?? 0) * US)}</td>,
                <td key={`${title} fitted`} className="num s2">{formats.figure((fit.samples[at]?.[2] ?? 0) * US)}</td>,
              ])}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
