/** The earlier front under this one: a switch, and how the two stand against each other. */
import { useMemo } from 'react'

import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { standing } from '../logic/overlay'
import { useExplorer } from '../state/context'
import { earlierId } from '../state/earlier'

export function EarlierSwitch() {
  const t = useT()
  const { search, state, earlier, update } = useExplorer()
  const id = earlierId(search, state.over)
  if (id === null) return null
  const number = earlier?.search.number ?? (search.warm_start?.id === id ? search.warm_start.number : undefined)
  const on = state.over !== 'none'
  const text = number === undefined ? t('explorer.earlier') : t('explorer.earlier.n', { number })
  return (
    <Button
      kind="quiet"
      size="s"
      aria-pressed={on}
      aria-label={text}
      title={t(on ? 'explorer.earlier.hide' : 'explorer.earlier.show')}
      data-testid="earlier"
      onClick={() => update({ over: on ? 'none' : id === search.warm_start?.id ? null : id })}
    >
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
        <circle className="xp-ghosts" cx="5" cy="5" r="3.5" />
      </svg>
      <span className="hide-s">{text}</span>
    </Button>
  )
}

export function EarlierNote() {
  const t = useT()
  const { model, earlier } = useExplorer()
  const { table } = model
  const now = useMemo(() => (earlier ? standing(table, earlier.table) : null), [earlier, table])
  if (!earlier || earlier.generation !== undefined || table.count === 0) return null
  const count = earlier.table.count
  const { number } = earlier.search
  return (
    <p className="xp-front-note small" data-testid="earlier-note">
      {now
        ? t('explorer.earlier.standing', { number, count, beaten: now.beaten, kept: now.kept, worse: now.worse, all: table.count })
        : t('explorer.earlier.other_objectives', { number })}
    </p>
  )
}
