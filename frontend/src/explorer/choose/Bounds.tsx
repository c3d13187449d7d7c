/** Bounds on the objectives and on peak memory, with how many plans are left. */
import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { hasBounds } from '../logic/selection'
import { useExplorer } from '../state/context'
import { BOUNDED } from '../types'
import { BoundRow } from './BoundRow'

export function Bounds() {
  const t = useT()
  const { model, state, update } = useExplorer()
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
      {BOUNDED.map((metric) => (
        <BoundRow key={metric} metric={metric} />
      ))}
      {hasBounds(state.bounds) && (
        <Button kind="quiet" size="s" className="xp-clear" onClick={() => update({ bounds: {} })}>
          {t('explorer.bounds.clear')}
        </Button>
      )}
    </section>
  )
}
