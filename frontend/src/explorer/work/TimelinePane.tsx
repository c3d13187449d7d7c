/** The timeline tab: chart or its table, with zoom and fit, and what can be done with a marked stretch of time. */
import { useEffect, useRef, useState } from 'react'

import { Button } from '../../components/Button'
import { Help } from '../../components/Help'
import { LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import { useFlight } from '../state/use-flight'
import type { PlanDetail } from '../types'
import { MarkBar } from './MarkBar'
import { Timeline } from './Timeline'
import type { Window } from './timeline-layout'
import { around, shifted, zoomed } from './timeline-layout'
import { TimelineTable } from './TimelineTable'
import { Tools } from './Tools'
import { useWork } from '../whatif/what-if'
import { ItemsLegend, WorkLegend } from './WorkLegend'

/** A gesture is written into the address once it has paused this long. */
const PAUSE_MS = 400

export function TimelinePane({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const { model, state, update } = useExplorer()
  const { whatIf } = useWork()
  const { wanted, flight, error, retry } = useFlight(detail, whatIf !== null)
  const end = Math.max((flight?.detail ?? detail).exec_time_ms, 1e-9)
  // A move that is tried leaves the view where it is.
  const key = model.plans[model.a]?.hash ?? detail.hash
  // The window of a gesture under way: writing each of its steps into the address would draw the whole page again.
  const [held, setHeld] = useState<{ hash: string; window: Window } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [key])
  const table = state.rows
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
      {!table && (flight ? <ItemsLegend /> : <WorkLegend />)}
      <Tools>
        <Button
          kind="quiet"
          size="s"
          aria-pressed={wanted}
          disabledReason={whatIf ? t('explorer.timeline.items.kept_only') : null}
          title={t('explorer.timeline.items.hint')}
          onClick={() => {
            clearTimeout(timer.current)
            setHeld(null)
            update({ items: !wanted, zoom: null, mark: null, lane: null })
          }}
        >
          {flight ? t('explorer.timeline.items.count', { shown: flight.items, all: flight.asked }) : t('explorer.timeline.items')}
        </Button>
        <Help terms={['items']} />
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
        <Button kind="quiet" size="s" aria-pressed={table} onClick={() => update({ rows: !table })}>
          {t(table ? 'explorer.timeline.chart' : 'explorer.timeline.table')}
        </Button>
      </Tools>
      <div className="xp-pane xp-timeline-pane">
        {!flight && <MarkBar onZoom={(mark) => show(around(mark, end))} />}
        {error ? (
          <LoadFailed error={error} onRetry={retry} />
        ) : table ? (
          <TimelineTable detail={flight?.detail ?? detail} flight={flight} />
        ) : (
          <Timeline key={flight ? 'items' : 'one'} detail={flight?.detail ?? detail} flight={flight} window={window} onWindow={setWindow} onFit={fit} />
        )}
      </div>
    </>
  )
}
