// How much devices that share a memory slow each other, a figure for each such memory.
import { useT } from '../../i18n'
import { UNITS } from '../../format/units'
import { setSlowdown, sharedMemories } from './draft'
import { FigureField } from './FigureField'
import type { Draft } from './useDraft'

export function MemoryDomains({ draft, readOnly }: { draft: Draft; readOnly: boolean }) {
  const t = useT()
  const { spec, change, errorAt } = draft
  return sharedMemories(spec).map((name) => {
    const domain = spec.memory_domains?.[name]
    const source = domain === undefined ? t('pool.slowdown.hint') : t(`pool.slowdown.${domain.source ?? 'given'}`)
    return (
      <FigureField
        key={name}
        label={t('pool.slowdown', { name })}
        value={domain?.slowdown}
        unit={UNITS.fraction}
        readOnly={readOnly}
        placeholder="1"
        source={source}
        error={errorAt('memory_domains')}
        onChange={(value) => change(setSlowdown(spec, name, value))}
      />
    )
  })
}
