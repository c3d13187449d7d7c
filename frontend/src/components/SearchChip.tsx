// The state of a search as a chip: shape, word and tint.
import type { Search } from '../api/types'
import { useT } from '../i18n'
import { Chip, type Tone } from './marks'

const TONES: Record<Search['state'], Tone> = {
  queued: 'draft',
  running: 'info',
  done: 'ok',
  stopped: 'draft',
  failed: 'bad',
  no_feasible: 'warn',
}

export function SearchChip({ search }: { search: Pick<Search, 'state' | 'generation' | 'generations'> }) {
  const t = useT()
  const text =
    search.state === 'running'
      ? t('search.state.running', { done: search.generation, all: search.generations })
      : t(`search.state.${search.state}`)
  return <Chip tone={TONES[search.state]}>{text}</Chip>
}
