// One comparison in full: its state, what changed since the one before, and its rows.
import { isActive, usePrecisionRun, useStopComparison, type PrecisionRun } from '../../api/hardware'
import { useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { Banner } from '../../components/Banner'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { readBody, type Changes } from './comparison'
import { ModelRun } from './ModelRun'
import { OperatorsRun } from './OperatorsRun'
import { RunLine } from './RunLine'

function ChangesBanner({ changes, left, right }: { changes: Changes; left: string; right: string }) {
  const t = useT()
  const formats = useFormats()
  const { out, mended, slower } = changes
  if (out.length + mended.length + slower.length === 0) {
    return <p className="small s2 pad">{t('precision.changes.none')}</p>
  }
  return (
    <Banner tone={out.length > 0 ? 'bad' : 'warn'} title={t('precision.changes')}>
      {out.length > 0 && <p>{t('precision.changes.out', { n: out.length, list: out.join(t('list.comma')) })}</p>}
      {mended.length > 0 && <p>{t('precision.changes.mended', { n: mended.length, list: mended.join(t('list.comma')) })}</p>}
      {slower.length > 0 && (
        <p>
          {t('precision.changes.slower', { n: slower.length })}{' '}
          {slower
            .map((one) => `${one.key || t('precision.whole')} ${one.side === 'left' ? left : right} ${formats.figure(one.before_ms)} → ${formats.figure(one.after_ms)} ms`)
            .join(t('list.comma'))}
        </p>
      )}
    </Banner>
  )
}

/** A side of a comparison with the precision that was asked for. */
export function useSideName() {
  const t = useT()
  return (name: string, precision: string) =>
    precision === 'model' ? name : `${name} ${precision === 'default' ? t('precision.byDefault') : precision}`
}

export function RunDetail({ run }: { run: PrecisionRun }) {
  const t = useT()
  const sideName = useSideName()
  const { data: session } = useSession()
  const found = usePrecisionRun(run)
  const stop = useStopComparison()
  const body = readBody(found.data?.body)
  const left = sideName(run.left, run.left_precision)
  const right = sideName(run.right, run.right_precision)
  return (
    <section className="sheet mt" aria-labelledby="run-title">
      <div className="head">
        <h2 id="run-title" className="cut">
          {run.kind === 'model' ? run.title : t('precision.operators')}
        </h2>
        <span className="small s2">{t('precision.against', { left, right })}</span>
      </div>
      {(isActive(run) || run.state !== 'done') && (
        <div className="body">
          <RunLine
            run={run}
            label={t('precision.compare')}
            stopping={stop.isPending}
            whyNotStop={canPlan(session) ? null : t('forbidden.viewer')}
            onStop={() => stop.mutate(run.id)}
          />
        </div>
      )}
      {found.error && !found.data && <LoadFailed error={found.error} onRetry={() => void found.refetch()} />}
      {body?.summary.changes && <ChangesBanner changes={body.summary.changes} left={left} right={right} />}
      {body && (run.kind === 'model' ? <ModelRun body={body} left={left} right={right} /> : <OperatorsRun body={body} />)}
    </section>
  )
}
