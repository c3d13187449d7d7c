/** What is marked in the timeline, a stretch of time or a lane, and what can be done with it. */
import { Button } from '../../components/Button'
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { CommentOnRange } from '../../pages/reviews/CommentOnRange'
import { timeText } from '../logic/reason'
import { useExplorer } from '../state/context'
import type { Window } from './timeline-layout'

export function MarkBar({ onZoom }: { onZoom: (mark: Window) => void }) {
  const t = useT()
  const f = useFormats()
  const { search, model, state, live, update } = useExplorer()
  const { mark, lane, moves } = state
  const device = lane === null ? undefined : model.front.devices.find(({ name }) => name === lane)
  const plan = model.plans[model.a]
  if (!plan || (!mark && !device)) return null
  return (
    <div className="xp-mark" data-testid="mark" role="group" aria-label={t('explorer.timeline.marked')}>
      {device && <DeviceTag device={device} />}
      <span className="num">
        {mark
          ? `${timeText(mark.from, f)} – ${timeText(mark.to, f)} · ${timeText(mark.to - mark.from, f)}`
          : (device?.name ?? '')}
      </span>
      {moves === null && (
        <CommentOnRange search={search.id} plan={plan} running={live} place={{ device: device?.name ?? null, span: mark }} />
      )}
      {mark && (
        <Button kind="quiet" size="s" className="hide-s" onClick={() => onZoom(mark)}>
          {t('explorer.timeline.zoom_mark')}
        </Button>
      )}
      <Button
        kind="quiet"
        size="s"
        icon="x"
        aria-label={t('explorer.timeline.unmark')}
        title={t('explorer.timeline.unmark')}
        onClick={() => update({ mark: null, lane: null })}
      />
    </div>
  )
}
