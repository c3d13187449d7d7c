/** The timeline tab: chart or its table, with zoom and fit, and what can be done with a marked stretch of time. */
import { useEffect, useRef, useState } from 'react'

import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import type { PlanDetail } from '../types'
import { MarkBar } from './MarkBar'
import { Timeline } from './Timeline'
import type { Window } from './timeline-layout'
import { around, shifted, zoomed } from './timeline-layout'
import { TimelineTable } from './TimelineTable'
import { Tools } from './Tools'
import { WorkLegend } from './WorkLegend'

/** A gesture is written into the address once it has paused this long. */
const PAUSE_MS = 400

export function TimelinePane({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const end = Math.max(detail.exec_time_ms, 1e-9)
  const { model, state, update } = useExplorer()
  // A move that is tried leaves the view where it is.
  const key = model.plans[model.a]?.hash ?? detail.hash
  // The window of a gesture under way: writing each of its steps into the address would draw the whole page again.
  const [held, setHeld] = useState<{ hash: string; window: Window } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [key])
  const [table, setTable] = useState(false)
  const asked = state.zoom ?? (state.mark ? around(state.mark, end) : { from: 0, to: end })
  const shown = held?.hash === key ? held.window : asked
  const window = shown.from < end ? shifted({ from: shown.from, to: Math.min(shown.to, shown.from + end) }, 0, end) : { from: 0, to: end }
  const show = (next: Window) => {
    clearTimeout(timer.current)
    setHeld(null)
    update({ zoom: next.from <= 0 && next.to >= end && !state.mark ? null : next })
  }
  const setWindow = (next: Window) => {
    setHeld({ hash: key, window: next })
    clearTimeout(timer.current)
    timer.current = setTimeout(() => show(next), PAUSE_MS)
  }
  const zoom = (factor: number) => show(zoomed(window, (window.from + window.to) / 2, factor, end))
  const fit = () => show({ from: 0, to: end })
  return (
    <>
      {!table && <WorkLegend />}
      <Tools>
        {!table && (
          <>
            <Button kind="quiet" size="s" onClick={() => zoom(1.6)} aria-label={t('explorer.timeline.out')} title={t('explorer.timeline.out')}>
              −
            </Button>
            <Button kind="quiet" size="s" onClick={() => zoom(0.625)} aria-label={t('explorer.timeline.in')} title={t('explorer.timeline.in')}>
              +
            </Button>
            <Button kind="quiet" size="s" id="xp-fit" onClick={fit}>
              {t('explorer.timeline.fit')}
            </Button>
          </>
        )}
        <Button kind="quiet" size="s" aria-pressed={table} onClick={() => setTable(!table)}>
          {t(table ? 'explorer.timeline.chart' : 'explorer.timeline.table')}
        </Button>
      </Tools>
      <div className="xp-pane xp-timeline-pane">
        <MarkBar onZoom={(mark) => show(around(mark, end))} />
        {table ? <TimelineTable detail={detail} /> : <Timeline detail={detail} window={window} onWindow={setWindow} onFit={fit} />}
      </div>
    </>
  )
}
