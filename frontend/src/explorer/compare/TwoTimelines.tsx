/** Both timelines on one axis, as a canvas; a click selects the operator, arrows walk the lanes of A and on into those of B. */
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'

import { announce } from '../../components/announce'
import { keepVector } from '../../drawing/vector'
import { useSize } from '../../drawing/use-size'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { useTokens } from '../../theme/tokens'
import { timeText } from '../logic/reason'
import { withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { DeviceRef, PlanDetail, PlanOperator } from '../types'
import { operatorAt } from '../work/timeline-layout'
import { drawTwo, twoLayouts, walk } from './two-timelines'

interface Props {
  readonly a: PlanDetail
  readonly b: PlanDetail
  readonly devicesB: readonly DeviceRef[]
}

export function TwoTimelines({ a, b, devicesB }: Props) {
  const t = useT()
  const f = useFormats()
  const tokens = useTokens()
  const { model, state, lang, update } = useExplorer()
  const [setBox, size] = useSize()
  const canvas = useRef<HTMLCanvasElement>(null)
  const { devices } = model.front
  const scale = model.scales.exec_time_ms
  const plans = useMemo(() => [{ detail: a, devices }, { detail: b, devices: devicesB }], [a, b, devices, devicesB])
  const layouts = useMemo(() => twoLayouts(plans, size.width, size.height), [plans, size.width, size.height])
  const window = useMemo(() => ({ from: 0, to: Math.max(a.exec_time_ms, b.exec_time_ms, 1e-9) }), [a, b])
  const height = Math.max(size.height, layouts.at(-1)?.height ?? 0)
  const selected = a.operators.find((op) => op.index === state.operator)
  // An operator of another search has another index there.
  const inB = selected && b.operators.find((op) => op.name === selected.name)
  /** The plan whose lanes the keys are in: 0 for A, 1 for B. */
  const [side, setSide] = useState(0)
  useEffect(() => {
    const element = canvas.current
    const g = element?.getContext('2d')
    if (!element || !g || size.width < 40) return
    element.width = Math.round(size.width * size.ratio)
    element.height = Math.round(height * size.ratio)
    g.setTransform(size.ratio, 0, 0, size.ratio, 0, 0)
    const texts = {
      links: '',
      memory: '',
      unused: t('explorer.timeline.unused'),
      host: '',
      share: (share: number) => f.share(share),
      idle: (ms: number) => t('explorer.timeline.idle_for', { time: timeText(ms, f) }),
      bytes: (value: number) => f.bytes(value),
      limit: (limit: string) => limit,
    }
    const inputs = plans.flatMap(({ detail, devices: own }, at) => {
      const layout = layouts[at]
      return layout
        ? [
            {
              detail,
              devices: own,
              layout,
              window,
              factor: scale.factor,
              unit: scale.unit,
              locale: LOCALES[lang],
              tokens,
              texts,
              selected: (at === 0 ? selected : inB)?.index ?? null,
              hovered: null,
              also: [],
              mark: null,
              lane: null,
              height,
            },
          ]
        : []
    })
    const end = (ms: number) => withUnit(ms, scale, lang)
    drawTwo(g, inputs, end)
    keepVector(element, size.width, height, (svg) => drawTwo(svg, inputs, end))
  }, [plans, layouts, window, scale, lang, tokens, selected, inB, height, size, t, f])
  const place = (op: PlanOperator | undefined, at: number) =>
    op && `${at === 0 ? 'A' : 'B'} ${(at === 0 ? devices : devicesB)[op.device]?.tag ?? ''}, ${timeText(op.start_ms, f)} – ${timeText(op.end_ms, f)}`
  const choose = (op: PlanOperator, at: number) => {
    setSide(at)
    const mine = at === 0 ? op : a.operators.find(({ name }) => name === op.name)
    const theirs = at === 1 ? op : b.operators.find(({ name }) => name === op.name)
    if (mine) update({ operator: mine.index })
    const both = [place(mine, 0), place(theirs, 1)]
    announce([op.name, ...(at === 0 ? both : both.reverse())].filter(Boolean).join(', '))
  }
  const key = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const moves = { ArrowLeft: 'left', ArrowRight: 'right', ArrowUp: 'up', ArrowDown: 'down' } as const
    if (!Object.hasOwn(moves, event.key)) return
    const next = walk(layouts, side, side === 0 ? selected : inB, moves[event.key as keyof typeof moves])
    if (next) choose(next.operator, next.side)
    event.preventDefault()
    event.stopPropagation()
  }
  const press = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    const [x, y] = [event.clientX - box.left, event.clientY - box.top]
    layouts.forEach((layout, at) => {
      const op = operatorAt(layout, window, x, y)
      if (op) choose(op, at)
    })
  }
  return (
    <div className="xp-two" ref={setBox}>
      <canvas
        ref={canvas}
        style={{ width: size.width, height }}
        tabIndex={0}
        role="img"
        onKeyDown={key}
        aria-label={t('explorer.compare.two_label', {
          a: a.number,
          b: b.number,
          timeA: withUnit(a.exec_time_ms, scale, lang),
          timeB: withUnit(b.exec_time_ms, scale, lang),
        })}
        data-testid="two-timelines"
        onPointerUp={press}
      />
    </div>
  )
}
