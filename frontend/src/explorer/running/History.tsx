/** How the search converged: hypervolume by generation, small, with a table of the same figures. */
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { fixed } from '../logic/scales'
import { useExplorer } from '../state/context'
import { Replay } from './Replay'
import { HypervolumeChart } from './HypervolumeChart'

export function History() {
  const t = useT()
  const { model, lang } = useExplorer()
  const { history } = model.front
  const first = history[0]
  const last = history.at(-1)
  if (!first || !last) return null
  const locale = LOCALES[lang]
  return (
    <section className="xp-block" aria-label={t('explorer.history')}>
      <div className="xp-block-head">
        <h2>{t('explorer.history')}</h2>
        <span className="r small s3">{t('explorer.history.generation', { generation: last[0] })}</span>
      </div>
      <HypervolumeChart history={history} generations={Math.max(model.front.generations, last[0])} width={248} height={54} />
      <div className="xp-between small s3">
        <span>{t('explorer.run.hypervolume', { value: fixed(first[1], 3, locale) })}</span>
        <span>{fixed(last[1], 3, locale)}</span>
      </div>
      <Replay />
      <details className="xp-details">
        <summary>{t('explorer.view.table')}</summary>
        <table aria-label={t('explorer.history.table')}>
          <thead>
            <tr>
              <th className="num">{t('explorer.history.g')}</th>
              <th className="num">{t('explorer.history.hv')}</th>
              <th className="num">{t('explorer.history.n')}</th>
            </tr>
          </thead>
          <tbody>
            {thinned(history).map(([generation, hypervolume, plans]) => (
              <tr key={generation}>
                <td className="num">{generation}</td>
                <td className="num">{fixed(hypervolume, 4, locale)}</td>
                <td className="num">{plans}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

const MOST_ROWS = 40

/** At most MOST_ROWS rows, with the first and the last one. */
export function thinned<T>(rows: readonly T[]): T[] {
  if (rows.length <= MOST_ROWS) return [...rows]
  const step = (rows.length - 1) / (MOST_ROWS - 1)
  return Array.from({ length: MOST_ROWS }, (_, i) => rows[Math.round(i * step)] as T)
}
