// What is different since the last review: new costs beneath the plan, and the plan that was decided on before.
import { useChanges, type Change, type ReviewDetail } from '../../api/reviews'
import { LoadFailed } from '../../components/states'
import { useEnergyName } from '../../format/energySources'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { isNamed, shownFigure } from './figures'

function Rows({ change, sources }: { change: Change; sources: readonly string[] }) {
  const t = useT()
  const formats = useFormats()
  const energyName = useEnergyName()
  const lines: { name: string; value: string }[] = [
    {
      name: t('review.changes.plan'),
      value: change.same_plan
        ? t('review.changes.same')
        : change.n_moved === null
          ? t('review.changes.unlike')
          : t('review.changes.moved', { n: change.n_moved }),
    },
  ]
  if (change.n_reordered) lines.push({ name: '', value: t('review.changes.reordered', { n: change.n_reordered }) })
  for (const one of change.costs) {
    lines.push({
      name: t('review.changes.deviceCosts', { device: one.device }),
      value: t('review.changes.operators', { n: one.operators }),
    })
  }
  for (const { key, before, after } of change.figures) {
    if (!isNamed(key) || before === after) continue
    const like = Math.max(before, after)
    const value = `${shownFigure(key, before, formats, like)} → ${shownFigure(key, after, formats, like)}`
    lines.push({ name: energyName(t(`review.figure.${key}`), key === 'energy_j' ? sources : []), value })
  }
  return (
    <table>
      <tbody>
        {lines.map(({ name, value }, index) => (
          <tr key={index}>
            <td className="s3">{name}</td>
            <td className="num">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Moved({ change }: { change: Change }) {
  const t = useT()
  if (change.moved.length === 0) return null
  return (
    <details className="side-text small">
      <summary>{t('review.changes.show')}</summary>
      <ul className="moved">
        {change.moved.map((one) => (
          <li key={one.operator}>
            <span className="mono cut">{one.name}</span>
            <span className="nowrap s3">
              {one.before} → {one.after}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

export function Changes({ review }: { review: ReviewDetail }) {
  const t = useT()
  const formats = useFormats()
  const changes = useChanges(review)
  const sources = review.figures.find(({ key }) => key === 'energy_j')?.sources ?? []
  const title = (change: Change): string =>
    change.kind === 'costs'
      ? t('review.changes.costs', { version: change.pool_version ?? 0 })
      : t('review.changes.before', {
          plan: change.plan_number ?? 0,
          search: change.search_number ?? 0,
          state: t(`review.standing.${change.state ?? 'draft'}`).toLowerCase(),
          date: change.at === null ? '–' : formats.date(change.at),
        })
  return (
    <section className="sheet" id="changes" aria-busy={changes.isPending}>
      <div className="head">
        <h2>{t('review.changes')}</h2>
      </div>
      {changes.error && <LoadFailed error={changes.error} onRetry={() => void changes.refetch()} />}
      {changes.isPending && (
        <div className="body" aria-hidden="true">
          <span className="bone" style={{ width: '70%' }} />
        </div>
      )}
      {changes.data?.length === 0 && <p className="small s3 side-text">{t('review.changes.none')}</p>}
      {changes.data?.map((change, index) => (
        <div key={index} className="change">
          <h3 className="small s2">{title(change)}</h3>
          {change.impossible ? <p className="small side-text">{change.impossible}</p> : <Rows change={change} sources={sources} />}
          <Moved change={change} />
        </div>
      ))}
    </section>
  )
}
