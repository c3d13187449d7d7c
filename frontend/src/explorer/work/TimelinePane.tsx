/** The timeline tab: chart or its table, with zoom and fit. */
import { useState } from 'react'

import { Button } from '../../components/Button'
import { useT } from '../../i18n'
import { useExplorer } from '../state/context'
import type { PlanDetail } from '../types'
import { Timeline } from './Timeline'
import type { Window } from './timeline-layout'
import { shifted, zoomed } from './timeline-layout'
import { TimelineTable } from './TimelineTable'
import { Tools } from './Tools'
import { WorkLegend } from './WorkLegend'

export function TimelinePane({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const end = Math.max(detail.exec_time_ms, 1e-9)
  const { model } = useExplorer()
  // A move that is tried leaves the view where it is.
  const key = model.plans[model.a]?.hash ?? detail.hash
  const [held, setHeld] = useState<{ hash: string; window: Window } | null>(null)
  const [table, setTable] = useState(false)
  const window = held?.hash === key ? shifted(held.window, 0, end) : { from: 0, to: end }
  const setWindow = (next: Window) => setHeld({ hash: key, window: next })
  const zoom = (factor: number) => setWindow(zoomed(window, (window.from + window.to) / 2, factor, end))
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
            <Button kind="quiet" size="s" id="xp-fit" onClick={() => setHeld(null)}>
              {t('explorer.timeline.fit')}
            </Button>
          </>
        )}
        <Button kind="quiet" size="s" aria-pressed={table} onClick={() => setTable(!table)}>
          {t(table ? 'explorer.timeline.chart' : 'explorer.timeline.table')}
        </Button>
      </Tools>
      <div className="xp-pane">
        {table ? <TimelineTable detail={detail} /> : <Timeline detail={detail} window={window} onWindow={setWindow} onFit={() => setHeld(null)} />}
      </div>
    </>
  )
}
