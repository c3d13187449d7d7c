/** The explorer's frame: choose, front, plan and work panes around one shared state. */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import type { Connection } from '../api/useSearchEvents'
import { announce } from '../components/announce'
import { LoadFailed } from '../components/states'
import { useLang, useT } from '../i18n'
import { Choose } from './choose/Choose'
import { ExplorerBar } from './ExplorerBar'
import { FrontPane } from './front/FrontPane'
import { KeysDialog } from './KeysDialog'
import { buildModel, pick } from './logic/model'
import { fixed, withUnit } from './logic/scales'
import { Panes } from './Panes'
import { Places } from './Places'
import { PlanCard } from './plan/PlanCard'
import { Strip } from './plan/Strip'
import { HeadBand } from './running/HeadBand'
import { Outcome } from './running/Outcome'
import { StatusLine } from './running/StatusLine'
import { type Explorer as Shared, ExplorerContext } from './state/context'
import { useEarlier } from './state/earlier'
import { focusSoon } from './state/focus-soon'
import { useReplay } from './state/replay'
import { HoverStore } from './state/hover'
import { actOnKey, isField } from './state/keys'
import { PlanDetailProvider } from './state/plan-detail'
import { useAddress } from './state/use-address'
import { SteeringProvider } from './steer/steering'
import type { Front, Search } from './types'
import { WhatIfProvider } from './whatif/what-if'
import { WorkPane } from './work/WorkPane'

/** When a focus that a key has taken away is looked for. */
const LOST_MS = 60

interface Props {
  readonly search: Search
  readonly front: Front
  /** The first front exists but has not been read yet. */
  readonly waiting: boolean
  readonly error: unknown
  readonly onRetry: () => void
  readonly connection: Connection
}

const ANNOUNCE_MS = 400
const OF_PLAN = { moves: null, zoom: null, mark: null, lane: null } as const

export function Explorer({ search, front, waiting, error, onRetry, connection }: Props) {
  const t = useT()
  const lang = useLang()
  const { state, store } = useAddress()
  const [hover] = useState(() => new HoverStore())
  const [help, setHelp] = useState(false)
  const [full, setFull] = useState(false)
  const { weights, bounds, a, b, against, axes, colour, size } = state
  const live = search.state === 'queued' || search.state === 'running'
  const model = useMemo(
    () => buildModel(front, { weights, bounds, a, b, against, axes, colour, size }),
    [front, weights, bounds, a, b, against, axes, colour, size],
  )
  const below = useEarlier(search, state.over)
  const replayed = useReplay(search, front, state.generation)
  const earlier = replayed ?? (state.over === 'none' ? null : below)

  const unread = !waiting ? null : error ? ('failed' as const) : ('reading' as const)

  const explorer = useMemo<Shared>(
    () => ({
      search,
      model,
      state,
      earlier,
      live,
      unread,
      lang,
      hover,
      // Moves, times and marks belong to the plan that they were made in, and a plan to its search.
      update: (patch, how) =>
        store.update(
          {
            ...('a' in patch ? OF_PLAN : {}),
            ...('b' in patch ? { against: null } : {}),
            ...patch,
          },
          how,
        ),
      setA: (index) => store.update({ ...OF_PLAN, a: pick(model.plans[index]) }),
      setB: (index) => store.update({ b: pick(model.plans[index]), against: null }),
      undo: store.undo,
    }),
    [search, model, state, earlier, live, unread, lang, hover, store],
  )

  const plan = model.plans[model.a]
  const spoken = useMemo(() => {
    if (!plan) return ''
    const time = withUnit(plan.exec_time_ms, model.scales.exec_time_ms, lang)
    return model.rank >= 0 && model.selection.nPassing > 0
      ? t('explorer.live.plan', {
          number: plan.number,
          time,
          multiple: fixed(plan.exec_time_x, 2, lang),
          rank: model.rank + 1,
          count: model.selection.nPassing,
        })
      : t('explorer.live.removed', { number: plan.number, time })
  }, [plan, model, lang, t])
  const first = useRef(true)
  useEffect(() => {
    if (first.current || live) {
      first.current = false
      return
    }
    const timer = setTimeout(() => announce(spoken), ANNOUNCE_MS)
    return () => clearTimeout(timer)
  }, [spoken, live])

  const onKey = useCallback(
    (event: KeyboardEvent<HTMLElement>) => {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
      if (isField(event.target) && event.key !== 'Escape') return
      const acted = actOnKey(event.key, explorer, {
        find: () => focusSoon('xp-find'),
        tryBest: () => document.getElementById('xp-try')?.click(),
        pin: () => document.getElementById('xp-pin-here')?.click(),
        fit: () => document.getElementById('xp-fit')?.click(),
        help: () => setHelp(true),
        escape: () => {
          if (explorer.state.moves !== null) explorer.update({ moves: null })
          else if (explorer.state.mark !== null || explorer.state.lane !== null) explorer.update({ mark: null, lane: null })
          else if (full) setFull(false)
          else if (explorer.state.operator !== null) explorer.update({ operator: null })
          else return false
          return true
        },
      })
      if (!acted) return
      event.preventDefault()
      // Another tab takes away what had the focus; keys act only while it is in the explorer.
      const root = event.currentTarget
      if (document.activeElement?.closest('#xp-work-body') && /^[1-9]$/.test(event.key)) root.focus({ preventScroll: true })
      setTimeout(() => {
        if (document.activeElement === document.body) root.focus({ preventScroll: true })
      }, LOST_MS)
    },
    [explorer, full],
  )

  return (
    <ExplorerContext value={explorer}>
      <PlanDetailProvider>
        <WhatIfProvider>
        <SteeringProvider>
        <main
          className="xp"
          id="main"
          tabIndex={-1}
          data-place={state.place}
          data-full={full || undefined}
          data-testid="explorer"
          data-plan={plan?.number}
          onKeyDown={onKey}
        >
          {!live && <h1 className="sr">{t('explorer.title', { number: search.number })}</h1>}
          <ExplorerBar onHelp={() => setHelp(true)} />
          <div className="xp-top">
            {live && <HeadBand connection={connection} />}
            <Outcome />
            {error ? <LoadFailed error={error} onRetry={onRetry} /> : null}
          </div>
          <Panes
            busy={waiting}
            choose={<Choose />}
            front={<FrontPane />}
            plan={<PlanCard />}
            strip={<Strip />}
            work={<WorkPane full={full} onFull={setFull} />}
          />
          <StatusLine />
          <Places />
          <KeysDialog open={help} onClose={() => setHelp(false)} />
        </main>
        </SteeringProvider>
        </WhatIfProvider>
      </PlanDetailProvider>
    </ExplorerContext>
  )
}
