/** A front of one plan or none: said in words instead of drawn. */
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { useFigures } from '../state/figures'
import { useNames } from '../state/names'
import type { SearchState } from '../types'

const EMPTY: Readonly<Record<SearchState, 'explorer.empty.waiting' | 'explorer.empty.stopped' | 'explorer.empty.failed'>> = {
  queued: 'explorer.empty.waiting',
  running: 'explorer.empty.waiting',
  done: 'explorer.empty.stopped',
  stopped: 'explorer.empty.stopped',
  failed: 'explorer.empty.failed',
  no_feasible: 'explorer.empty.failed',
}

export function SinglePlan() {
  const t = useT()
  const f = useFormats()
  const names = useNames()
  const { model, search, lang, unread } = useExplorer()
  const figures = useFigures(0)
  const [plan] = model.plans
  if (!plan && unread === 'reading')
    return (
      <p className="xp-note s3" role="status">
        {t('explorer.front.reading')}
      </p>
    )
  if (!plan)
    return (
      <div className="xp-note">
        <h3>{t(unread ? 'explorer.front.unread' : 'explorer.empty.title')}</h3>
        <p>{t(unread ? 'explorer.front.unread_why' : EMPTY[search.state])}</p>
      </div>
    )
  const objectives = new Intl.ListFormat(lang, { type: 'conjunction' }).format(model.table.objectives.map((m) => names.inline(m.key)))
  return (
    <div className="xp-note">
      <h3>{t('explorer.single.title')}</h3>
      <p>{t('explorer.single.why', { objectives })}</p>
      <dl className="dl">
        {figures.map(({ key, name, value, unit, multiple }) => (
          <div key={key} className="xp-note-row">
            <dt>{name}</dt>
            <dd>
              {value} {unit}{' '}
              <span className="s3">
                {multiple} {t('explorer.default')}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="s3">{t('explorer.status.evaluations', { count: f.number(model.front.evaluations) })}</p>
    </div>
  )
}
