// The state of a model as a chip.
import type { Model } from '../api/types'
import { useT } from '../i18n'
import { Chip, type Tone } from './marks'

const TONES: Record<Model['state'], Tone> = { parsing: 'info', needs_dims: 'warn', ready: 'ok', refused: 'bad' }

export function ModelChip({ state }: { state: Model['state'] }) {
  const t = useT()
  return <Chip tone={TONES[state]}>{t(`model.state.${state}`)}</Chip>
}
