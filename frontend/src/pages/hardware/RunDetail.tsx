// One comparison in full: its state, what changed since the one before, and its rows.
import { isActive, usePrecisionRun, useStopComparison, type PrecisionRun } from '../../api/hardware'
import { useSession } from '../../api/queries'
import { canPlan } from '../../app/permissions'
import { Banner } from '../../components/Banner'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { readBody, type Changes, type Finding } from './comparison'
import { LossRun } from './LossRun'
import { ModelRun } from './ModelRun'
import { OperatorsRun } from './OperatorsRun'
import { RunLine } from './RunLine'

const MOST_LISTED = 12

function ChangesBanner({ changes, left, right }: { changes: Changes; left: string; right: string }) {
  const t = useT()
  const formats = useFormats()
  const { findings, mended } = changes
  const slower = findings.filter((one) => one.kind === 'slower')
  const out = findings.filter((one) => one.kind !== 'slower')
  const names = (list: readonly Finding[]) => {
    const shown = list.slice(0, MOST_LISTED).map((one) => one.key || t('precision.whole'))
    return [...shown, ...(list.length > MOST_LISTED ? ['…'] : [])].join(t('list.comma'))
  }
  const ms = (value: Finding['before']) => (typeof value === 'number' ? formats.figure(value) : '–')
  if (findings.length + mended.length === 0) {
    return <p className="small s2 pad">{t('precision.changes.none')}</p>
  }
  return (
    <Banner tone={out.length > 0 ? 'bad' : 'warn'} title={t('precision.changes')}>
      {out.length > 0 && <p>{t('precision.changes.out', { n: out.length, list: names(out) })}</p>}
      {mended.length > 0 && <p>{t('precision.changes.mended', { n: mended.length, list: names(mended) })}</p>}
      {slower.length > 0 && (
        <p>
          {t('precision.changes.slower', { n: slower.length })}{' '}
          {slower
            .slice(0, MOST_LISTED)
            .map((one) => `${one.key || t('precision.whole')} ${one.side === 'left' ? left : right} ${ms(one.before)} → ${ms(one.after)} ms`)
            .join(t('list.comma'))}
        </p>
      )}
    </Banner>
  )
}

/** What a comparison compares. */
export function useRunTitle() {
  const t = useT()
  return (run: PrecisionRun) => (run.kind === 'model' ? run.title : t(run.kind === 'loss' ? 'precision.loss' : 'precision.operators'))
}

/** A side of a comparison with the precision that was asked for. */
export function useSideName() {
  const t = useT()
  return (name: string, precision: string) =>
    precision === 'model' ? name : `${name} (${precision === 'default' ? t('precision.byDefault') : precision})`
}

export function RunDetail({ run }: { run: PrecisionRun }) {
  const t = useT()
  const sideName = useSideName()
  const title = useRunTitle()
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
          {title(run)}
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
            device={run.left_id ?? run.right_id}
          />
        </div>
      )}
      {found.error && !found.data && <LoadFailed error={found.error} onRetry={() => void found.refetch()} />}
      {body?.summary.changes && <ChangesBanner changes={body.summary.changes} left={left} right={right} />}
      {body && run.kind === 'model' && <ModelRun body={body} left={left} right={right} />}
      {body && run.kind === 'loss' && <LossRun body={body} left={left} right={right} />}
      {body && run.kind === 'operators' && <OperatorsRun body={body} />}
    </section>
  )
}
