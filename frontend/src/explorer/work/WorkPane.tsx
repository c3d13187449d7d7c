/** The pane under the front: timeline, operators or comparison of plan A, with the inspector beside it. */
import { type KeyboardEvent, useRef, useState } from 'react'

import { Button } from '../../components/Button'
import { LoadFailed } from '../../components/states'
import { useT } from '../../i18n'
import { TABS } from '../logic/address'
import { useExplorer } from '../state/context'
import { WhatIfBanner } from '../whatif/WhatIfBanner'
import { useWork } from '../whatif/what-if'
import { Compare } from '../compare/Compare'
import { GraphPane } from './GraphPane'
import { Inspector } from './Inspector'
import { Operators } from './Operators'
import { ToolsSlot } from './Tools'
import { TimelinePane } from './TimelinePane'

interface Props {
  readonly full: boolean
  readonly onFull: (full: boolean) => void
}

export function WorkPane({ full, onFull }: Props) {
  const t = useT()
  const { model, state, unread, update } = useExplorer()
  const { detail, stale, error, retry } = useWork()
  const list = useRef<HTMLSpanElement>(null)
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  const { tab } = state
  const plan = model.plans[model.a]
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length]
    if (!next) return
    update({ tab: next })
    list.current?.querySelector<HTMLButtonElement>(`[data-tab="${next}"]`)?.focus()
  }
  const ready = detail && plan
  return (
    <section className="xp-work" aria-label={t('explorer.work')} id="work">
      <div className="tabs">
        <span className="tl" role="tablist" aria-label={t('explorer.work')} ref={list}>
          {TABS.map((key) => (
            <button
              key={key}
              type="button"
              role="tab"
              id={`tab-${key}`}
              data-tab={key}
              aria-selected={key === tab}
              aria-controls="xp-work-body"
              tabIndex={key === tab ? 0 : -1}
              onClick={() => update({ tab: key })}
              onDoubleClick={() => onFull(!full)}
              onKeyDown={move}
            >
              {t(`explorer.tab.${key}`)}
            </button>
          ))}
        </span>
        <span className="tools" ref={setSlot} />
        <Button
          kind="quiet"
          size="s"
          icon="full"
          className="hide-s"
          aria-pressed={full}
          aria-label={t(full ? 'explorer.work.restore' : 'explorer.work.full')}
          title={t(full ? 'explorer.work.restore' : 'explorer.work.full')}
          onClick={() => onFull(!full)}
        />
      </div>
      <WhatIfBanner />
      <div
        className={tab === 'compare' ? 'xp-work-body xp-work-wide' : 'xp-work-body'}
        id="xp-work-body"
        role="tabpanel"
        aria-labelledby={`tab-${tab}`}
        aria-busy={stale && !error}
        data-stale={(stale && Boolean(detail)) || undefined}
      >
        {error && stale ? (
          <div className="xp-work-note">
            <LoadFailed error={error} onRetry={retry} />
          </div>
        ) : !plan ? (
          <p className="xp-work-note s3">{t(unread === 'reading' ? 'explorer.front.reading' : unread ? 'explorer.front.unread' : 'explorer.work.no_plan')}</p>
        ) : !ready ? (
          <p className="xp-work-note s3">{t('explorer.work.loading')}</p>
        ) : (
          <ToolsSlot value={slot}>
            {tab === 'compare' && <Compare a={detail} />}
            {tab === 'timeline' && <TimelinePane detail={detail} />}
            {tab === 'graph' && <GraphPane detail={detail} />}
            {tab === 'operators' && <Operators detail={detail} />}
            {tab !== 'compare' && <Inspector detail={detail} />}
          </ToolsSlot>
        )}
      </div>
    </section>
  )
}
