// A run that is under way, or how it ended: progress with Stop, or the reason of its failure.
import type { ApiErrorBody } from '../../api/types'
import { isActive } from '../../api/hardware'
import { errorText } from '../../api/errors'
import { Button } from '../../components/Button'
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
}

export function RunLine({ run, label, stopping, whyNotStop, onStop }: RunLineProps) {
  const t = useT()
  const lang = useLang()
  if (isActive(run)) {
    const { progress } = run
    return (
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
        <span className="small s2 nowrap">
          {progress
            ? t('hardware.run.progress', { done: progress.done, total: progress.total })
            : t(run.state === 'queued' ? 'hardware.run.queued' : 'hardware.run.loading')}
        </span>
        <Button size="s" icon="stop" busy={stopping} disabledReason={whyNotStop} onClick={onStop}>
          {t('hardware.run.stop')}
        </Button>
      </div>
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
