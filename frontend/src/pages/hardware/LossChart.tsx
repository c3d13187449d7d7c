// The loss of one network on both devices, step by step, above the difference of the two on a logarithmic scale.
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import type { LossNetwork, LossStep } from './comparison'

const WIDTH = 460
const HEIGHT = 290
const LEFT = 54
const RIGHT = 12
/** Top and bottom of the losses, and of their difference below. */
const LOSSES = [14, 146] as const
const DIFFERENCES = [184, 266] as const
/** What is exactly equal has no place on a logarithmic scale: it is drawn on the floor. */
const LEAST = 1e-9

/** A path through the steps; one that is no number breaks it. */
export function lossPath(values: readonly (number | null)[], x: (step: number) => number, y: (value: number) => number): string {
  let pen = false
  return values
    .map((value, step) => {
      if (value === null) {
        pen = false
        return ''
      }
      const command = `${pen ? 'L' : 'M'}${x(step).toFixed(1)} ${y(value).toFixed(1)}`
      pen = true
      return command
    })
    .join('')
}

interface LossChartProps {
  steps: readonly LossStep[]
  network: LossNetwork
  tolerance: number
}

export function LossChart({ steps, network, tolerance }: LossChartProps) {
  const t = useT()
  const formats = useFormats()
  const losses = steps.flatMap(({ left, right }) => [left, right]).filter((value) => value !== null)
  const most = Math.max(1e-9, ...losses)
  const x = (step: number) => LEFT + (step / Math.max(1, steps.length - 1)) * (WIDTH - LEFT - RIGHT)
  const yLoss = (value: number) => LOSSES[1] - (value / most) * (LOSSES[1] - LOSSES[0])
  const seen = [tolerance, ...steps.map(({ difference }) => difference ?? 0)].filter((value) => value > LEAST)
  const high = Math.ceil(Math.log10(Math.max(...seen)) + 0.01)
  const low = Math.min(high - 1, Math.floor(Math.log10(Math.min(1e-7, ...seen))))
  const yDifference = (value: number) => {
    const log = Math.min(high, Math.log10(Math.max(value, 10 ** low)))
    return DIFFERENCES[0] + ((high - log) / (high - low)) * (DIFFERENCES[1] - DIFFERENCES[0])
  }
  const out = network.first_step_out
  const marks = [
    { step: 0, anchor: 'start' },
    { step: Math.floor((steps.length - 1) / 2), anchor: 'middle' },
    { step: steps.length - 1, anchor: 'end' },
  ] as const
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t('precision.loss.chart', { n: steps.length })}>
      {[0, most / 2, most].map((value) => (
        <g key={value}>
          <line className="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={yLoss(value)} y2={yLoss(value)} />
          <text className="tick" x={LEFT - 6} y={yLoss(value) + 4} textAnchor="end">
            {formats.figure(value, 2)}
          </text>
        </g>
      ))}
      <path className="loss-left" d={lossPath(steps.map(({ left }) => left), x, yLoss)} />
      <path className="loss-right" d={lossPath(steps.map(({ right }) => right), x, yLoss)} />
      <text className="tick" x={LEFT} y={DIFFERENCES[0] - 12}>
        {t('precision.loss.difference')}
      </text>
      {[high, low].map((power) => (
        <g key={power}>
          <line className="grid" x1={LEFT} x2={WIDTH - RIGHT} y1={yDifference(10 ** power)} y2={yDifference(10 ** power)} />
          <text className="tick" x={LEFT - 6} y={yDifference(10 ** power) + 4} textAnchor="end">
            {formats.small(10 ** power)}
          </text>
        </g>
      ))}
      <line className="limit" x1={LEFT} x2={WIDTH - RIGHT} y1={yDifference(tolerance)} y2={yDifference(tolerance)} />
      {steps.map(({ step, difference }) => (
        <circle
          key={step}
          className={difference === null || difference > tolerance ? 'dot out' : 'dot'}
          cx={x(step)}
          cy={yDifference(difference ?? 10 ** high)}
          r={1.8}
        >
          <title>{t('precision.loss.step', { step, difference: formats.small(difference) })}</title>
        </circle>
      ))}
      {out !== null && <line className="loss-out" x1={x(out)} x2={x(out)} y1={LOSSES[0]} y2={DIFFERENCES[1]} />}
      {marks.map(({ step, anchor }) => (
        <text key={anchor} className="tick" x={x(step)} y={HEIGHT - 8} textAnchor={anchor}>
          {anchor === 'start' ? t('precision.loss.first') : formats.number(step)}
        </text>
      ))}
    </svg>
  )
}
