/** Both timelines on one axis, as a canvas; a click selects the operator. */
import { type PointerEvent, useEffect, useMemo, useRef } from 'react'

import { keepVector } from '../../drawing/vector'
import { useSize } from '../../drawing/use-size'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { useTokens } from '../../theme/tokens'
import { timeText } from '../logic/reason'
import { withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import type { DeviceRef, PlanDetail } from '../types'
import { operatorAt } from '../work/timeline-layout'
import { drawTwo, twoLayouts } from './two-timelines'

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
  const press = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect()
    const [x, y] = [event.clientX - box.left, event.clientY - box.top]
    layouts.forEach((layout, at) => {
      const op = operatorAt(layout, window, x, y)
      const own = op && (at === 0 ? op : a.operators.find((other) => other.name === op.name))
      if (own) update({ operator: own.index })
    })
  }
  return (
    <div className="xp-two" ref={setBox}>
      <canvas
        ref={canvas}
        style={{ width: size.width, height }}
        role="img"
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
