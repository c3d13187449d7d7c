/** Four places at the thumb, on narrow screens: front, choose, plan, operators. */
import { Icon, type IconName } from '../components/icons'
import { useT } from '../i18n'
import { type Place, PLACES } from './logic/address'
import { useExplorer } from './state/context'

const ICONS: Readonly<Record<Place, IconName>> = { front: 'full', choose: 'filter', plan: 'pin', work: 'more' }

export function Places() {
  const t = useT()
  const { state, update } = useExplorer()
  return (
    <nav className="xp-places" aria-label={t('explorer.places')}>
      {PLACES.map((place) => (
        <button
          key={place}
          type="button"
          aria-current={state.place === place ? 'page' : undefined}
          onClick={() => update({ place })}
        >
          <Icon name={ICONS[place]} />
          {t(`explorer.place.${place}`)}
        </button>
      ))}
    </nav>
  )
}
