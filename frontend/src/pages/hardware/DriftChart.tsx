// The error of every operator of a model, in order, on a logarithmic scale, with its tolerance; the first one out is named.
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import type { CaseRow } from './comparison'

const WIDTH = 900
const HEIGHT = 240
const LEFT = 54
const RIGHT = 12
const TOP = 26
const BOTTOM = 26
/** What is exactly equal has no place on a logarithmic scale: it is drawn on the floor. */
const LEAST = 1e-9

export function DriftChart({ rows, first }: { rows: readonly CaseRow[]; first: string }) {
  const t = useT()
  const formats = useFormats()
  const finite = rows.flatMap((row) => [row.scaled_error ?? 1, row.tolerance]).filter((value) => value > LEAST)
  const high = Math.ceil(Math.log10(Math.max(1e-6, ...finite)))
  const low = Math.floor(Math.log10(Math.min(1e-7, ...finite)))
  const y = (value: number | null) => {
    const log = Math.log10(Math.max(value ?? 10 ** high, 10 ** low))
    return TOP + ((high - log) / (high - low)) * (HEIGHT - TOP - BOTTOM)
  }
  const x = (index: number) => LEFT + ((index + 0.5) / Math.max(1, rows.length)) * (WIDTH - LEFT - RIGHT)
  const tolerance = rows.map((row, index) => `${index ? 'L' : 'M'}${x(index).toFixed(1)} ${y(row.tolerance).toFixed(1)}`).join('')
  const at = rows.findIndex((row) => row.key === first && row.status === 'out')
  const firstRow = rows[at]
  const step = Math.max(1, Math.ceil((high - low) / 6))
  const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => high - index * step)
  const radius = rows.length > 300 ? 1.8 : rows.length > 100 ? 2.4 : 3.4
  return (
    <figure className="pc-chart scroll-x">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t('precision.chart', { n: rows.length })}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={y(10 ** tick)} y2={y(10 ** tick)} />
            <text className="tick" x={LEFT - 6} y={y(10 ** tick) + 4} textAnchor="end">
              {formats.small(10 ** tick)}
            </text>
          </g>
        ))}
        <path className="limit" d={tolerance} />
        {rows.map((row, index) => (
          <circle key={`${row.key} ${index}`} className={row.status === 'out' ? 'dot out' : 'dot'} cx={x(index)} cy={y(row.scaled_error)} r={radius}>
            <title>{`${row.key} (${row.op_type}): ${formats.small(row.scaled_error)}`}</title>
          </circle>
        ))}
        {firstRow && (
          <g className="first">
            <line x1={x(at)} x2={x(at)} y1={TOP - 6} y2={HEIGHT - BOTTOM} />
            <text x={x(at)} y={TOP - 12} textAnchor={at < rows.length * 0.15 ? 'start' : at > rows.length * 0.85 ? 'end' : 'middle'}>
              {firstRow.key} ({firstRow.op_type})
            </text>
          </g>
        )}
        <text className="tick" x={LEFT} y={HEIGHT - 6}>
          {t('precision.chart.order')}
        </text>
        <text className="tick" x={WIDTH - RIGHT} y={HEIGHT - 6} textAnchor="end">
          {t('precision.chart.legend')}
        </text>
      </svg>
    </figure>
  )
}
