// The state of a device or runtime: shape, word and tint.
import type { DeviceState } from '../../api/hardware'
import { Chip, type Tone } from '../../components/marks'
import { useT } from '../../i18n'

const TONES: Record<DeviceState, Tone> = {
  absent: 'draft',
  unusable: 'warn',
  healthy: 'ok',
  cordoned: 'info',
  faulty: 'bad',
}

export function StateChip({ state }: { state: DeviceState }) {
  const t = useT()
  return <Chip tone={TONES[state]}>{t(`hardware.state.${state}`)}</Chip>
}
