// Predicted against measured times, both logarithmic; the band is 30 % to each side of the diagonal.
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

export type Parity = readonly [group: string, measured: number, predicted: number]

const SIZE = 360
const LEFT = 58
const TOP = 10
const BOTTOM = 40
const RIGHT = 10
const BAND = Math.log10(1.3)

export function ParityPlot({ rows, marked }: { rows: readonly Parity[]; marked: string | null }) {
  const t = useT()
  const formats = useFormats()
  const logs = rows.flatMap(([, a, b]) => [Math.log10(a), Math.log10(b)])
  const low = Math.floor(Math.min(...logs))
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs)))
  const across = (log: number) => LEFT + ((log - low) / (high - low)) * (SIZE - LEFT - RIGHT)
  const up = (log: number) => SIZE - BOTTOM - ((log - low) / (high - low)) * (SIZE - TOP - BOTTOM)
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => low + at)
  const seconds = (log: number) => (log < -3 ? `${formats.figure(10 ** (log + 6))} µs` : log < 0 ? `${formats.figure(10 ** (log + 3))} ms` : `${formats.figure(10 ** log)} s`)
  const band = [[low, low + BAND], [high - BAND, high], [high, high], [high, high - BAND], [low + BAND, low], [low, low]] as const
  return (
    <figure className="cal-parity">
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} role="img" aria-label={`${t('cal.parity')}. ${t('cal.parity.text', { n: rows.length })}`}>
        <polygon className="band" points={band.map(([x, y]) => `${across(x).toFixed(1)},${up(y).toFixed(1)}`).join(' ')} />
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid" x1={LEFT} x2={SIZE - RIGHT} y1={up(tick)} y2={up(tick)} />
            <line className="grid" x1={across(tick)} x2={across(tick)} y1={TOP} y2={SIZE - BOTTOM} />
            <text className="tick" x={LEFT - 5} y={up(tick) + 4} textAnchor="end">{seconds(tick)}</text>
            <text className="tick" x={across(tick)} y={SIZE - BOTTOM + 15} textAnchor={tick === high ? 'end' : 'middle'}>{seconds(tick)}</text>
          </g>
        ))}
        <line className="same" x1={across(low)} y1={up(low)} x2={across(high)} y2={up(high)} />
        {[...rows]
          .sort((a, b) => Number(a[0] === marked) - Number(b[0] === marked))
          .map(([group, measured, predicted], at) => (
            <circle key={at} className={group === marked ? 'dot marked' : 'dot'} cx={across(Math.log10(measured))} cy={up(Math.log10(predicted))} r={group === marked ? 3.4 : 2.2} />
          ))}
        <text className="tick" x={(LEFT + SIZE - RIGHT) / 2} y={SIZE - 6} textAnchor="middle">{t('cal.parity.measured')}</text>
        <text className="tick" transform={`translate(11 ${(SIZE - BOTTOM) / 2}) rotate(-90)`} textAnchor="middle">{t('cal.parity.predicted')}</text>
      </svg>
      <figcaption className="small s2">{t('cal.parity.text', { n: rows.length })}</figcaption>
    </figure>
  )
}
