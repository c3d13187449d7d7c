// A run that is under way, or how it ended: progress with Stop, or the reason of its failure.
import type { ApiErrorBody } from '../../api/types'
import { isActive, useHosts } from '../../api/hardware'
import { errorText } from '../../api/errors'
import { Button } from '../../components/Button'
import { useFormats } from '../../format/numbers'
import { useLang, useT } from '../../i18n'

export interface RunLike {
  state: string
  progress: { done: number; total: number; phase: string } | null
  error: ApiErrorBody | null
}

export interface RunLineProps {
  run: RunLike
  label: string
  stopping: boolean
  whyNotStop: string | null
  onStop: () => void
  /** The host's device that it runs on: where that host falls silent, the line says so. */
  device?: string | null
  /** Or the name of that host, of a run that begins anew there. */
  host?: string
}

/** Why nothing goes on: the host has fallen silent. */
function SilentHost({ device, name }: { device?: string | null; name?: string }) {
  const t = useT()
  const formats = useFormats()
  const hosts = useHosts()
  const host = hosts.data?.hosts.find(
    (one) => one.name === name || one.runtimes.some((runtime) => runtime.devices.some(({ id }) => id === device)),
  )
  if (!host || host.alive) return null
  return (
    <p className="small hw-failed" role="status">
      {t(name === undefined ? 'hardware.silent.run' : 'hardware.silent.anew', { host: host.name, when: formats.dateTime(host.seen_at) })} <code>./run worker --host</code>
    </p>
  )
}

/** How far a run is, in words; one that is opening its device counts nothing yet. */
export function useRunWords() {
  const t = useT()
  return ({ state, progress }: Pick<RunLike, 'state' | 'progress'>) => {
    if (!progress) return t(state === 'queued' ? 'hardware.run.queued' : 'hardware.run.loading')
    if (progress.phase === 'start') return t('hardware.run.starting')
    return t('hardware.run.progress', { done: progress.done, total: progress.total })
  }
}

export function RunLine({ run, label, stopping, whyNotStop, onStop, device, host }: RunLineProps) {
  const t = useT()
  const lang = useLang()
  const words = useRunWords()
  if (isActive(run)) {
    const progress = run.progress?.phase === 'start' ? null : run.progress
    return (
      <>
        <div className="hw-run">
          <div
            className="prog"
            role="progressbar"
            aria-label={label}
            aria-valuemin={0}
            aria-valuemax={progress?.total}
            aria-valuenow={progress?.done}
            data-endless={progress === null || undefined}
          >
            <i style={progress ? { width: `${(progress.done / Math.max(1, progress.total)) * 100}%` } : undefined} />
          </div>
          <span className="small s2 nowrap">{words(run)}</span>
          <Button size="s" icon="stop" busy={stopping} disabledReason={whyNotStop} onClick={onStop}>
            {t('hardware.run.stop')}
          </Button>
        </div>
        {(device ?? host) && <SilentHost device={device} name={host} />}
      </>
    )
  }
  if (run.state === 'failed') {
    const { title, hint } = run.error ? errorText(run.error, lang) : { title: t('hardware.run.failed'), hint: '' }
    return (
      <p className="small hw-failed" role="alert">
        {title} {hint && <span className="s2">{hint}</span>}
      </p>
    )
  }
  return run.state === 'stopped' ? <p className="small s2">{t('hardware.run.stopped')}</p> : null
}
