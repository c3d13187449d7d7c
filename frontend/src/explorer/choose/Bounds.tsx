/** Bounds on the objectives, on peak memory and on whatever else one adds, with how many plans are left. */
import { useState } from 'react'

import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { Menu, MenuItem } from '../../components/Menu'
import { hasBounds } from '../logic/selection'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import { BoundRow } from './BoundRow'

export function Bounds() {
  const t = useT()
  const names = useNames()
  const { model, state, update } = useExplorer()
  const [added, setAdded] = useState<readonly string[]>([])
  const { measures } = model.table
  const always = new Set([...model.figures.map((m) => m.key), 'peak_memory_bytes', ...Object.keys(model.bounds), ...added])
  const rows = measures.filter((m) => always.has(m.key))
  const more = measures.filter((m) => !always.has(m.key))
  const { nPassing } = model.selection
  const all = model.plans.length
  return (
    <section className="xp-block" aria-label={t('explorer.bounds')}>
      <div className="xp-block-head">
        <h2>{t('explorer.bounds')}</h2>
        <span className="r small" data-testid="passing">
          {t('explorer.bounds.pass', { passing: nPassing, all })}
        </span>
      </div>
      <div className="xp-pass" aria-hidden="true">
        <i style={{ width: `${all ? (nPassing / all) * 100 : 0}%` }} />
      </div>
      {rows.map(({ key }) => (
        <BoundRow key={key} metric={key} />
      ))}
      <div className="xp-bound-more">
        {more.length > 0 && (
          <Menu
            trigger={
              <Button kind="quiet" size="s" icon="plus">
                {t('explorer.bounds.add')}
              </Button>
            }
          >
            {more.map(({ key }) => (
              <MenuItem key={key} onSelect={() => setAdded([...added, key])}>
                {names.title(key)}
              </MenuItem>
            ))}
          </Menu>
        )}
        {hasBounds(state.bounds) && (
          <Button kind="quiet" size="s" onClick={() => update({ bounds: {} })}>
            {t('explorer.bounds.clear')}
          </Button>
        )}
      </div>
    </section>
  )
}
