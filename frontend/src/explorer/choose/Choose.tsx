/** The choosing column: presets, weights, bounds, steering and how the search converged. */
import { useT } from '../../i18n'
import { History } from '../running/History'
import { useExplorer } from '../state/context'
import { Steer } from '../steer/Steer'
import { Bounds } from './Bounds'
import { Presets } from './Presets'
import { Weights } from './Weights'

export function Choose() {
  const t = useT()
  const { model } = useExplorer()
  return (
    <aside className="xp-choose" aria-label={t('explorer.choose')} id="choose">
      <Presets />
      <Weights />
      <Bounds />
      <Steer />
      {model.front.history.length > 1 && <History />}
    </aside>
  )
}
