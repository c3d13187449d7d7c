// A comparison of a whole model: where it begins to drift, what mends it, and where the runtimes fuse differently.
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import type { Body, FusedGroup } from './comparison'
import { DriftChart } from './DriftChart'
import { Ladder } from './Ladder'

function Groups({ title, groups }: { title: string; groups: readonly FusedGroup[] }) {
  if (groups.length === 0) return null
  return (
    <details className="small">
      <summary>
        {title} ({groups.length})
      </summary>
      <ul className="pc-groups">
        {groups.map((group) => (
          <li key={group.operators.join()}>
            <span className="mono">{group.operators.join(' + ')}</span> → {group.into}
          </li>
        ))}
      </ul>
    </details>
  )
}

export function ModelRun({ body, left, right }: { body: Body; left: string; right: string }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const { summary, fusion } = body
  const drifts = (summary.out ?? 0) > 0
  return (
    <div className="body stack">
      <p className="pc-verdict">
        {summary.first
          ? t('precision.first', { name: summary.first, type: summary.first_op_type ?? '' })
          : t('precision.noDrift')}{' '}
        {drifts && t('precision.outOf', { out: summary.out ?? 0, n: body.cases.length })}{' '}
        {summary.verdict && translateCode('precision.verdict', summary.verdict, {}, summary.verdict, lang)}
      </p>
      {typeof summary.left_ms === 'number' && typeof summary.right_ms === 'number' && (
        <p className="small s2">
          {t('precision.times', { left, leftMs: formats.figure(summary.left_ms), right, rightMs: formats.figure(summary.right_ms) })}
        </p>
      )}
      {body.cases.length > 0 && <DriftChart rows={body.cases} first={summary.first ?? ''} />}
      <div>
        <h3>{t('precision.ladder')}</h3>
        <div className="scroll-x">
          <Ladder rungs={body.ladder} />
        </div>
      </div>
      <div>
        <h3>{t('precision.fusion')}</h3>
        {fusion === null ? (
          <p className="small s2">{t('precision.fusion.unknown')}</p>
        ) : fusion.left.length + fusion.right.length === 0 ? (
          <p className="small s2">{t('precision.fusion.same', { n: fusion.same.length })}</p>
        ) : (
          <>
            <Groups title={t('precision.fusion.only', { name: left })} groups={fusion.left} />
            <Groups title={t('precision.fusion.only', { name: right })} groups={fusion.right} />
            <Groups title={t('precision.fusion.both')} groups={fusion.same} />
          </>
        )}
      </div>
    </div>
  )
}
