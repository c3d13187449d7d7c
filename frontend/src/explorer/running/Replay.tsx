/** Steps through the generations of a search: each front as rings under the one that it became. */
import { useEffect, useState } from 'react'

import { Button } from '../../components/Button'
import { LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { fixed } from '../logic/scales'
import { stepAt } from '../logic/replay'
import { useExplorer } from '../state/context'
import { useSteps } from '../state/replay'

const STEP_MS = 250

export function Replay() {
  const t = useT()
  const { search, state, lang, live, update } = useExplorer()
  const [asked, setAsked] = useState(false)
  const [playing, setPlaying] = useState(false)
  const at = state.generation
  const { steps, error, retry } = useSteps(search, asked || at !== null)
  const now = steps && at !== null ? stepAt(steps, at) : undefined
  const place = now && steps ? steps.indexOf(now) : -1
  const last = (steps?.length ?? 0) - 1
  const running = playing && steps !== undefined && place < last
  useEffect(() => {
    if (!running) return
    const timer = setTimeout(() => update({ generation: steps[place + 1]?.generation ?? null }, 'gesture'), STEP_MS)
    return () => clearTimeout(timer)
  }, [running, steps, place, update])
  if (live) return null
  if (!asked && at === null)
    return (
      <Button size="s" className="xp-replay-start" onClick={() => { setAsked(true); setPlaying(true) }}>
        {t('explorer.replay')}
      </Button>
    )
  if (!steps && error) return <LoadFailed error={error} onRetry={retry} />
  if (!steps) return <p className="small s3">{t('explorer.replay.loading')}</p>
  if (steps.length === 0) return <p className="small s3">{t('explorer.replay.none')}</p>
  return (
    <div className="xp-replay" data-testid="replay">
      <Button
        size="s"
        aria-pressed={running}
        onClick={() => {
          if (!running && (place < 0 || place >= last)) update({ generation: steps[0]?.generation ?? null }, 'gesture')
          setPlaying(!running)
        }}
      >
        {t(running ? 'explorer.replay.pause' : 'explorer.replay.play')}
      </Button>
      <input
        type="range"
        aria-label={t('explorer.replay.generation')}
        aria-valuetext={now ? t('explorer.history.generation', { generation: now.generation }) : undefined}
        min={0}
        max={last}
        value={Math.max(0, place)}
        onChange={(event) => {
          setPlaying(false)
          update({ generation: steps[Number(event.target.value)]?.generation ?? null }, 'gesture')
        }}
      />
      <Button
        kind="quiet"
        size="s"
        icon="x"
        aria-label={t('explorer.replay.end')}
        onClick={() => {
          setPlaying(false)
          setAsked(false)
          update({ generation: null })
        }}
      />
      {now && (
        <p className="small s3" role="status">
          {t('explorer.replay.at', {
            generation: now.generation,
            plans: now.values.length,
            hypervolume: now.hypervolume === null ? '–' : fixed(now.hypervolume, 3, LOCALES[lang]),
          })}
        </p>
      )}
    </div>
  )
}
