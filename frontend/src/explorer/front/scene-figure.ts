/** The 3-D front as a plotly figure: points by score, A, B and the default plan with drop lines and labels. */
import type { Data, Layout } from 'plotly.js'

import type { Model } from '../logic/model'
import { rankColours } from '../logic/ramp'
import { fixed } from '../logic/scales'
import { type Range, tickDecimals, ticks } from '../logic/ticks'
import type { ObjectiveKey } from '../types'
import type { Tokens } from '../../theme/tokens'
import type { Point3 } from './project'
import { defaultValue, frontRanges, inside } from './axes'
import { escapeText } from './escape'

export interface SceneTexts {
  readonly axes: readonly [string, string, string]
  readonly a: string
  readonly b: string
  readonly reference: string
  readonly constant: string
}

export interface SceneInput {
  readonly model: Model
  readonly fit: boolean
  readonly tokens: Tokens
  readonly texts: SceneTexts
  readonly lang: string
  readonly width: number
  readonly height: number
}

export interface SceneFigure {
  readonly data: Partial<Data>[]
  readonly layout: Partial<Layout>
  /** Where every plan stands, null when it is outside the axes. */
  readonly points: readonly (Point3 | null)[]
}

/** Where the reader stands at first; made anew each time, as plotly writes the turned view into what it is given. */
export const firstCamera = () => ({
  projection: { type: 'orthographic' as const },
  eye: { x: -1.15, y: -1.5, z: 0.72 },
  center: { x: 0, y: 0, z: -0.08 },
  up: { x: 0, y: 0, z: 1 },
})

function trace(points: readonly Point3[], marker: object): Partial<Data> {
  return {
    type: 'scatter3d',
    mode: 'markers',
    x: points.map((p) => p[0]),
    y: points.map((p) => p[1]),
    z: points.map((p) => p[2]),
    marker,
    hoverinfo: 'none',
  }
}

function stem(point: Point3, floor: number, colour: string): Partial<Data>[] {
  const [x, y, z] = point
  return [
    { type: 'scatter3d', mode: 'lines', x: [x, x], y: [y, y], z: [z, floor], line: { color: colour, width: 2 }, hoverinfo: 'none' },
    trace([[x, y, floor]], { size: 2.5, color: colour }),
  ] as Partial<Data>[]
}

/** Larger fronts get smaller marks. */
export function markSize(count: number): number {
  return count > 1000 ? 2.4 : count > 300 ? 3 : 3.6
}

/** Whether a tick would stand in the corner where the energy and the balance axis meet. */
function crowded(metric: ObjectiveKey, value: number, { lo, hi }: Range): boolean {
  const share = (value - lo) / (hi - lo)
  return metric === 'energy_j' ? share > 0.9 : metric === 'load_balance' && share > 0.001 && share < 0.07
}

export function sceneFigure(input: SceneInput): SceneFigure {
  const { model, fit, tokens, texts, lang, width, height } = input
  const { plans, scales, selection } = model
  const c = tokens.value
  const ranges = frontRanges(model, fit, 0.03)
  const metrics = ['exec_time_ms', 'energy_j', 'load_balance'] as const
  const points = plans.map((plan, i): Point3 | null =>
    inside(model, ranges, i)
      ? [
          plan.exec_time_ms * scales.exec_time_ms.factor,
          plan.energy_j * scales.energy_j.factor,
          plan.load_balance * scales.load_balance.factor,
        ]
      : null,
  )
  const at = (i: number): Point3 | null => points[i] ?? null
  const some = (list: readonly number[]): Point3[] => list.map(at).filter((p) => p !== null)
  const none = selection.nPassing === 0
  const ranked = none ? [] : selection.ranked
  const colours = rankColours(plans.length, ranked, tokens.score, c('score-out'))
  const out = plans.map((_, i) => i).filter((i) => none || !selection.passing[i])
  // A and B have marks of their own; a second one at the same place would shine through.
  const own = (i: number) => i !== model.a && i !== model.b
  const drawn = [...ranked].reverse().filter((i) => own(i) && at(i) !== null)
  const { exec_time_ms: rx, energy_j: ry, load_balance: rz } = ranges
  const floor = rz.lo
  const size = markSize(plans.length)
  const reference = fit ? null : metrics.map((m) => defaultValue(model, m) ?? 0)
  const ref = reference && ([reference[0] ?? 0, reference[1] ?? 0, reference[2] ?? 0] as const)
  const a = at(model.a)
  const b = at(model.b)

  const data: Partial<Data>[] = [
    trace(some(out.filter(own)), { size: size * 0.62, color: c('score-out'), line: { width: 0 } }),
    ...(a ? stem(a, floor, c('ink-3')) : []),
    ...(b ? stem(b, floor, c('ink-3')) : []),
    ...(ref ? stem(ref, floor, c('ink-3')) : []),
    trace(some(drawn), { size, color: drawn.map((i) => colours[i] ?? ''), line: { width: 1, color: c('bg') } }),
    trace(b ? [b] : [], { size: 5.5, color: c('bg'), line: { color: c('ink'), width: 3 } }),
    trace(a ? [a] : [], { size: 6, color: c('ink'), line: { color: c('bg'), width: 1 } }),
    trace(ref ? [ref] : [], { size: 3, symbol: 'diamond', color: c('ink-2') }),
  ]

  const axis = (metric: (typeof metrics)[number]) => {
    const range = ranges[metric]
    const list = range.constant
      ? [range.at]
      : ticks(range.lo, range.hi, metric === 'energy_j' ? 4 : 5).filter((v) => !crowded(metric, v, range))
    const decimals = range.constant ? scales[metric].decimals : tickDecimals(list)
    return {
      title: { text: '' },
      range: [range.lo, range.hi],
      tickvals: list,
      ticktext: list.map((v) => fixed(v, decimals, lang)),
      tickfont: { size: lang.startsWith('zh') ? 12 : 11, color: c('ink-3'), family: tokens.fontUi },
      gridcolor: c('line'),
      zeroline: false,
      showbackground: false,
      showspikes: false,
      linecolor: c('line-control'),
      showline: true,
    }
  }
  const caption = (p: Point3, index: 0 | 1 | 2, xshift: number, yshift: number) => {
    const metric = metrics[index]
    const constant = ranges[metric].constant ? ` · ${texts.constant}` : ''
    return {
      x: p[0], y: p[1], z: p[2], text: escapeText(texts.axes[index] + constant), showarrow: false, xshift, yshift,
      font: { size: 12, color: c('ink-2'), family: tokens.fontUi },
    }
  }
  const label = (p: Point3, text: string, more: object) => ({
    x: p[0], y: p[1], z: p[2], text, showarrow: true, arrowhead: 0, arrowwidth: 1.2, standoff: 3,
    arrowcolor: c('ink'), font: { size: 12, color: c('ink'), family: tokens.fontUi }, borderpad: 2, bgcolor: `${c('bg')}cc`, ...more,
  })
  /** Labels lean away from the right edge, where the time axis ends. */
  const side = (p: Point3, dx: number, dy: number) =>
    (p[0] - rx.lo) / (rx.hi - rx.lo) > 0.72
      ? { ax: -dx, ay: dy - 12, xanchor: 'right' }
      : { ax: dx, ay: dy, xanchor: 'left' }
  const apart = (p: Point3, q: Point3) =>
    Math.hypot((p[0] - q[0]) / (rx.hi - rx.lo), (p[1] - q[1]) / (ry.hi - ry.lo), (p[2] - q[2]) / (rz.hi - rz.lo))
  const crowdedRef = ref !== null && b !== null && apart(ref, b) < 0.2
  const middle = (r: { lo: number; hi: number }) => (r.lo + r.hi) / 2
  const shrink = height > 0 ? Math.min(1, width / height / 1.5) : 1
  const layout = {
    margin: { l: 0, r: 0, t: 0, b: 0 },
    paper_bgcolor: 'rgba(0,0,0,0)',
    showlegend: false,
    hovermode: false,
    uirevision: 'kept',
    font: { family: tokens.fontUi },
    width: Math.max(1, Math.floor(width)),
    height: Math.max(1, Math.floor(height)),
    scene: {
      uirevision: 'kept',
      xaxis: axis('exec_time_ms'),
      yaxis: axis('energy_j'),
      zaxis: axis('load_balance'),
      aspectmode: 'manual',
      aspectratio: { x: 1.95 * shrink, y: 1.6 * shrink, z: 1.08 * shrink },
      camera: firstCamera(),
      dragmode: 'turntable',
      hovermode: false,
      annotations: [
        caption([middle(rx), ry.lo, floor], 0, 34, -26),
        caption([rx.lo, middle(ry), floor], 1, -34, -26),
        caption([rx.lo, ry.hi, rz.hi], 2, 0, 12),
        ...(b ? [label(b, `<b>B</b> ${escapeText(texts.b)}`, side(b, 54, -22))] : []),
        ...(ref ? [label(ref, escapeText(texts.reference), { ...side(ref, 34, crowdedRef ? 24 : -10), font: { size: 12, color: c('ink-2'), family: tokens.fontUi } })] : []),
        ...(a ? [label(a, `<b>A</b> ${escapeText(texts.a)}`, { ax: -46, ay: -34, xanchor: 'right' })] : []),
      ],
    },
  }
  return { data, layout: layout as unknown as Partial<Layout>, points }
}
