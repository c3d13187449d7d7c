/** Hypervolume by generation as a line that ends in a ring; early generations get more room. */
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { fixed } from '../logic/scales'
import { rangeOf } from '../logic/ticks'
import { useExplorer } from '../state/context'

interface Props {
  readonly history: readonly (readonly [number, number, number])[]
  readonly generations: number
  readonly width: number
  readonly height: number
}

export function HypervolumeChart({ history, generations, width, height }: Props) {
  const t = useT()
  const { lang } = useExplorer()
  const first = history[0]
  const last = history.at(-1)
  if (!first || !last) return null
  const range = rangeOf(history.map(([, value]) => value))
  const x = (generation: number) => 4 + Math.sqrt(Math.max(0, generation) / Math.max(1, generations)) * (width - 12)
  const y = (value: number) => height - 8 - ((value - range.lo) / (range.hi - range.lo || 1)) * (height - 14)
  const d = history.map(([g, v], i) => `${i ? 'L' : 'M'}${x(g).toFixed(1)} ${y(v).toFixed(1)}`).join('')
  const label = t('explorer.run.chart', { first: fixed(first[1], 3, LOCALES[lang]), last: fixed(last[1], 3, LOCALES[lang]) })
  return (
    <svg className="xp-hypervolume" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path className="xp-track" d={`M4 ${height - 3.5}H${width - 4}`} />
      <path className="xp-hv-line" d={d} />
      <circle className="xp-hv-end" cx={x(last[0])} cy={y(last[1])} r={4} />
    </svg>
  )
}
