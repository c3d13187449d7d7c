// Links as a matrix: the row sends, the column receives; deeper tint means more bandwidth.
import type { DeviceRef, LinkSpec } from '../../api/types'
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { findLink } from './draft'

export interface LinkMatrixProps {
  devices: readonly DeviceRef[]
  links: readonly LinkSpec[]
  readOnly: boolean
  onPick: (source: string, target: string) => void
}

/** Percent of the deep colour in the deepest tint: ink stays readable on it in both themes. */
const DEEPEST = 45

function tint(bandwidth: number, low: number, high: number): number {
  if (!(high > low)) return DEEPEST / 2
  return Math.round(((Math.log(bandwidth) - Math.log(low)) / (Math.log(high) - Math.log(low))) * DEEPEST)
}

export function LinkMatrix({ devices, links, readOnly, onPick }: LinkMatrixProps) {
  const t = useT()
  const formats = useFormats()
  const known = links.map((link) => link.bandwidth_gb_per_s ?? 0).filter((value) => value > 0)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const cell = (from: DeviceRef, to: DeviceRef) => {
    if (from.name === to.name) return <td key={to.name} className="self" aria-label={t('pool.link.same')} />
    const found = findLink(links, from.name, to.name)
    const title = `${from.name} → ${to.name}`
    if (!found) {
      return (
        <td key={to.name}>
          <button type="button" className="cell off" title={title} disabled={readOnly} onClick={() => onPick(from.name, to.name)}>
            {t('pool.link.viaHost')}
          </button>
        </td>
      )
    }
    const { link } = found
    const bandwidth = link.bandwidth_gb_per_s
    const strength = bandwidth && bandwidth > 0 ? tint(bandwidth, low, high) : 0
    return (
      <td key={to.name}>
        <button
          type="button"
          className="cell"
          style={{ background: `color-mix(in oklab, var(--score-3) ${strength}%, var(--accent-soft))` }}
          title={`${title}, ${link.link_class ?? ''}`}
          onClick={() => onPick(from.name, to.name)}
        >
          <b>{bandwidth === undefined ? link.link_class : formats.figure(bandwidth)}</b>
          <span>{link.latency_us === undefined ? t('pool.link.default') : `${formats.figure(link.latency_us)} µs`}</span>
        </button>
      </td>
    )
  }
  return (
    <div className="scroll-x">
      <table className="heat">
        <caption className="sr">{t('pool.link.matrix')}</caption>
        <thead>
          <tr>
            <td />
            {devices.map((device) => (
              <th key={device.name} scope="col">
                <DeviceTag device={device} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {devices.map((from) => (
            <tr key={from.name}>
              <th scope="row">
                <DeviceTag device={from} />
              </th>
              {devices.map((to) => cell(from, to))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
