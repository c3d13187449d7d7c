// Which measure of the operators a bar list sums up.
import { Segmented } from '../../components/Segmented'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import type { Measure } from './scopes'

export function MeasureChoice({ label, value, options, onChange }: {
  label: string
  value: Measure
  options: readonly Measure[]
  onChange: (measure: Measure) => void
}) {
  const t = useT()
  if (options.length < 2) return null
  return (
    <Segmented
      label={label}
      value={value}
      options={options.map((option) => ({
        value: option,
        label: t(`model.measure.${option}`),
        title: option === 'flops' ? 'FLOP = 2 × MAC' : undefined,
      }))}
      onChange={onChange}
    />
  )
}

export function useMeasureText(): (measure: Measure, value: number) => string {
  const f = useFormats()
  return (measure, value) => ({ count: f.number, flops: f.flops, bytes: f.bytes })[measure](value)
}
