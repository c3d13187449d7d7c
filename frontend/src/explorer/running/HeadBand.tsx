/** The band over a search that runs: state, generation, plans, hypervolume, time left, Stop and keep. */
import { useStopSearch } from '../../api/mutations'
import { useSession } from '../../api/queries'
import type { Connection } from '../../api/useSearchEvents'
import { errorText } from '../../api/errors'
import { Button } from '../../components/Button'
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { HypervolumeChart } from './HypervolumeChart'

export function HeadBand({ connection }: { connection: Connection }) {
  const t = useT()
  const f = useFormats()
  const { search, model, lang } = useExplorer()
  const stop = useStopSearch(search.id)
  const { data: session } = useSession()
  const viewer = session?.team?.role === 'viewer'
  const share = search.generations > 0 ? search.generation / search.generations : 0
  const facts: string[] = []
  const { islands } = search
  if (search.state === 'running')
    facts.push(t('explorer.run.generation', { generation: search.generation, generations: search.generations }))
  if (islands) {
    // Islands that have not begun know of no epochs yet.
    facts.push(t(islands.epochs > 0 ? 'explorer.run.islands' : 'explorer.run.islands.count', { ...islands }))
    if (islands.migrated > 0) facts.push(t('explorer.run.migrated', { count: islands.migrated }))
  }
  if (search.n_plans > 0) facts.push(t('explorer.run.plans', { count: search.n_plans }))
  if (search.hypervolume !== null) facts.push(t('explorer.run.hypervolume', { value: f.number(search.hypervolume, 3) }))
  if (search.best?.exec_time_x && search.best.energy_x)
    facts.push(t('explorer.run.best', { time: f.number(search.best.exec_time_x, 2), energy: f.number(search.best.energy_x, 2) }))
  if (search.eta_s !== null && search.state === 'running') facts.push(t('explorer.run.left', { time: f.seconds(search.eta_s) }))
  if (search.warm_start) facts.push(t('explorer.run.from', { number: search.warm_start.number }))
  if (search.attempt > 1) facts.push(t('explorer.run.attempt', { attempt: search.attempt }))
  return (
    <section className="xp-head" aria-label={t('explorer.run.progress')}>
      <div className="xp-head-row">
        <h1>{t('explorer.title', { number: search.number })}</h1>
        <Chip tone="info">{t(`explorer.state.${search.state}`)}</Chip>
        <span className="xp-head-facts s2" data-testid="progress">
          {search.state === 'queued' ? t('explorer.run.queued') : facts.join(' · ')}
        </span>
        <span className="xp-head-chart hide-s">
          {model.front.history.length > 1 && (
            <HypervolumeChart history={model.front.history} generations={search.generations} width={140} height={30} />
          )}
        </span>
        <Button
          busy={stop.isPending || stop.isSuccess}
          disabledReason={viewer && t('forbidden.viewer')}
          onClick={() => stop.mutate()}
        >
          {t(stop.isPending || stop.isSuccess ? 'explorer.run.stopping' : 'explorer.run.stop')}
        </Button>
      </div>
      {connection === 'waiting' && (
        <p className="xp-head-note small s3" role="status">
          {t('explorer.run.offline')}
        </p>
      )}
      {stop.error && (
        <p className="xp-head-note small xp-over" role="alert">
          {t('explorer.run.stop.failed')} {errorText(stop.error, lang).title}
        </p>
      )}
      <div
        className="prog"
        role="progressbar"
        aria-label={t('explorer.run.progress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        data-endless={search.state === 'queued' || undefined}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
    </section>
  )
}
