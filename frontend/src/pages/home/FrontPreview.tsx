// The front of the last sample search in two dimensions: time against energy, the default plan as a diamond.
import type { Front } from '../../api/types'
import { useFormats } from '../../format/numbers'
import { useEnergyName } from '../../format/energySources'
import { energyUnit, ticks, timeUnit } from '../../format/scales'
import { useT } from '../../i18n'

const WIDTH = 420
const HEIGHT = 190
const LEFT = 44
const RIGHT = 404
const TOP = 30
const BOTTOM = 156
const STEPS = 5

interface Axis {
  at: (value: number) => number
  ticks: number[]
}

function axis(values: number[], from: number, to: number, most: number): Axis {
  const low = Math.min(...values)
  const high = Math.max(...values)
  const room = (high - low || Math.abs(high) || 1) * 0.06
  const [start, end] = [low - room, high + room]
  return {
    at: (value) => from + ((value - start) / (end - start)) * (to - from),
    ticks: ticks(start, end, most),
  }
}

export function FrontPreview({ front, searchNumber }: { front: Front; searchNumber: number }) {
  const t = useT()
  const formats = useFormats()
  const energyName = useEnergyName()
  const time = timeUnit(front.default_plan.exec_time_ms)
  const energy = energyUnit(front.default_plan.energy_j)
  const plans = front.plans.map((plan) => ({
    number: plan.number,
    x: plan.exec_time_ms * time.factor,
    y: plan.energy_j * energy.factor,
  }))
  const base = { x: front.default_plan.exec_time_ms * time.factor, y: front.default_plan.energy_j * energy.factor }
  const x = axis([...plans.map((plan) => plan.x), base.x], LEFT + 6, RIGHT, 4)
  const y = axis([...plans.map((plan) => plan.y), base.y], BOTTOM - 6, TOP, 4)
  const step = (index: number) => Math.max(0, STEPS - 1 - Math.floor((index / plans.length) * STEPS))
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={t('home.sample.preview', { n: plans.length, number: searchNumber })}
    >
      {y.ticks.map((value) => (
        <g key={value}>
          <path d={`M${LEFT} ${y.at(value)}H${RIGHT}`} stroke="var(--line-soft)" />
          <text x={LEFT - 6} y={y.at(value) + 4} textAnchor="end" fontSize="11" fill="var(--ink-3)">
            {formats.figure(value)}
          </text>
        </g>
      ))}
      {x.ticks.map((value) => (
        <text key={value} x={x.at(value)} y={BOTTOM + 16} textAnchor="middle" fontSize="11" fill="var(--ink-3)">
          {formats.figure(value, 4)}
        </text>
      ))}
      <path d={`M${LEFT} ${TOP - 12}V${BOTTOM}H${RIGHT}`} fill="none" stroke="var(--line-control)" />
      <text x={LEFT + 2} y="14" fontSize="12" fill="var(--ink-2)">
        {energyName(t('home.energy', { unit: energy.label }), front.energy_sources)}
      </text>
      <text x={RIGHT} y={HEIGHT - 3} textAnchor="end" fontSize="12" fill="var(--ink-2)">
        {t('home.time', { unit: time.label })}
      </text>
      {plans.map((plan, index) => (
        <circle key={plan.number} cx={x.at(plan.x)} cy={y.at(plan.y)} r="3.2" fill={`var(--score-${step(index)})`} />
      ))}
      <Diamond x={x.at(base.x)} y={y.at(base.y)} />
      <Diamond x={RIGHT - 92} y={10} />
      <text x={RIGHT - 82} y="14" fontSize="12" fill="var(--ink-2)">
        {t('home.defaultPlan')}
      </text>
    </svg>
  )
}

function Diamond({ x, y }: { x: number; y: number }) {
  return <path d={`M${x} ${y - 5}l5 5-5 5-5-5z`} fill="var(--ink-2)" stroke="var(--bg)" />
}
