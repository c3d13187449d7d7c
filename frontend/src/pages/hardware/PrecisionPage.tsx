// Comparisons of devices: start one, see the last ones, and read one in full.
import { useNavigate, useSearch } from '@tanstack/react-router'

import { isActive, useHosts, usePrecisionRuns, type PrecisionRun } from '../../api/hardware'
import { Chip } from '../../components/marks'
import { Empty, LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { countOut, type Summary } from './comparison'
import { HardwareHead } from './HardwareHead'
import { places } from './MapList'
import { RunDetail, useRunTitle, useSideName } from './RunDetail'
import { useRunWords } from './RunLine'
import { StartComparison } from './StartComparison'

function Outcome({ run }: { run: PrecisionRun }) {
  const t = useT()
  const words = useRunWords()
  const summary = run.summary as Summary
  const out = countOut(summary)
  if (isActive(run)) {
    return (
      <span className="small s2">{words(run)}</span>
    )
  }
  if (run.state === 'failed') return <Chip tone="bad">{t('precision.failed')}</Chip>
  if (out === undefined) return <Chip>{t('hardware.run.stopped')}</Chip>
  return (
    <span className="row wrap">
      <Chip tone={out > 0 ? 'bad' : 'ok'}>
        {out > 0 ? t('precision.nOut', { n: out }) : t('precision.within')}
      </Chip>
      {summary.first && <span className="small s2">{t('precision.from', { name: summary.first })}</span>}
      {summary.stopped && <span className="small s3">{t('hardware.run.stopped')}</span>}
    </span>
  )
}

function Row({ run, chosen, onChoose }: { run: PrecisionRun; chosen: boolean; onChoose: () => void }) {
  const t = useT()
  const formats = useFormats()
  const sideName = useSideName()
  const title = useRunTitle()
  return (
    <tr aria-selected={chosen}>
      <td className="nowrap">
        <button type="button" className="disclose" aria-pressed={chosen} onClick={onChoose}>
          {formats.dateTime(run.created_at)}
        </button>
      </td>
      <td>{title(run)}</td>
      <td>{sideName(run.left, run.left_precision)}</td>
      <td>{sideName(run.right, run.right_precision)}</td>
      <td>
        <Outcome run={run} />
      </td>
      <td className="small s3">
        {run.trigger === 'fingerprint' ? t('operators.auto') : (run.created_by ?? '')}{' '}
        {run.stale && <Chip tone="warn">{t('hardware.stale')}</Chip>}
      </td>
    </tr>
  )
}

export function PrecisionPage() {
  const t = useT()
  const navigate = useNavigate()
  const { run: wanted } = useSearch({ from: '/hardware/precision' })
  const hosts = useHosts()
  const runs = usePrecisionRuns()
  const rows = runs.data?.results
  const chosen = rows?.find((run) => run.id === wanted) ?? (wanted === undefined ? rows?.[0] : undefined)
  const choose = (run: PrecisionRun) => void navigate({ to: '/hardware/precision', search: { run: run.id }, resetScroll: false })
  const failed = [hosts, runs].find((query) => query.error && !query.data)
  const found = hosts.data ? places(hosts.data.hosts) : []
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={!rows && !failed}>
      <HardwareHead tab="hardware.precision" />
      <p className="read s2 hw-intro">{t('precision.intro')}</p>
      {failed && <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />}
      {hosts.data && found.length === 0 && (
        <div className="sheet">
          <Empty inSheet title={t('precision.noDevices')}>
            <p>{t('operators.noDevices.text')}</p>
          </Empty>
        </div>
      )}
      {hosts.data && found.length > 0 && <StartComparison hosts={hosts.data.hosts} onStarted={choose} />}
      {rows?.length === 0 && found.length > 0 && (
        <div className="sheet">
          <Empty inSheet title={t('precision.none')}>
            <p>{t('precision.none.text')}</p>
          </Empty>
        </div>
      )}
      {rows && rows.length > 0 && (
        <section className="sheet" aria-labelledby="runs-title">
          <div className="head">
            <h2 id="runs-title">{t('precision.runs')}</h2>
          </div>
          <div className="scroll-x pc-runs">
            <table className="roomy">
              <thead>
                <tr>
                  <th>{t('precision.when')}</th>
                  <th>{t('precision.what')}</th>
                  <th>{t('precision.left')}</th>
                  <th>{t('precision.right')}</th>
                  <th>{t('precision.result')}</th>
                  <th>{t('precision.by')}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((run) => (
                  <Row key={run.id} run={run} chosen={run === chosen} onChoose={() => choose(run)} />
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {chosen && <RunDetail key={chosen.id} run={chosen} />}
    </main>
  )
}
