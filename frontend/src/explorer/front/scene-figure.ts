/** The empty 3-D scene as a plotly figure: axes, grid and captions; plans are painted over it. */
import type { Data, Layout } from 'plotly.js'

import { fixed, type Scale } from '../logic/scales'
import { type Range, tickDecimals, ticks } from '../logic/ticks'
import type { Tokens } from '../../theme/tokens'
import { escapeText } from './escape'
import type { Sides } from './camera'
import type { Point3 } from './project'

export interface SceneAxis {
  readonly title: string
  readonly range: Range
  readonly scale: Scale
}

export interface SceneInput {
  /** x, y and height. */
  readonly axes: readonly [SceneAxis, SceneAxis, SceneAxis]
  readonly constant: string
  readonly tokens: Tokens
  readonly lang: string
  readonly width: number
  readonly height: number
}

export interface SceneFigure {
  readonly data: Partial<Data>[]
  /** Without where the reader stands, which is kept from one figure to the next (see `standing`). */
  readonly layout: Partial<Layout>
  /** Lengths of the sides of the axes' box at zoom 1. */
  readonly sides: Sides
  /** What the axes are called, as a reader sees it. */
  readonly captions: string
  /** In CSS pixels. */
  readonly width: number
  readonly height: number
}


/** Whether a tick would stand in the corner where the second and the third axis meet. */
function crowded(place: 0 | 1 | 2, value: number, { lo, hi }: Range): boolean {
  const share = (value - lo) / (hi - lo)
  return place === 1 ? share > 0.9 : place === 2 && share > 0.001 && share < 0.07
}

export function sceneFigure({ axes, constant, tokens, lang, ...given }: SceneInput): SceneFigure {
  const [width, height] = [Math.max(1, Math.floor(given.width)), Math.max(1, Math.floor(given.height))]
  const c = tokens.value
  const axis = (place: 0 | 1 | 2) => {
    const { range, scale } = axes[place]
    const list = range.constant
      ? [range.at]
      : ticks(range.lo, range.hi, place === 1 ? 4 : 5).filter((v) => !crowded(place, v, range))
    const decimals = range.constant ? scale.decimals : tickDecimals(list)
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
  const [{ range: rx }, { range: ry }, { range: rz }] = axes
  const named = ({ title, range }: SceneAxis) => title + (range.constant ? ` · ${constant}` : '')
  const caption = (p: Point3, place: 0 | 1 | 2, xshift: number, yshift: number, xanchor: 'center' | 'left' | 'right' = 'center') => ({
    x: p[0],
    y: p[1],
    z: p[2],
    text: escapeText(named(axes[place])),
    showarrow: false,
    xanchor,
    xshift,
    yshift,
    font: { size: 12, color: c('ink-2'), family: tokens.fontUi },
  })
  const middle = (r: Range) => (r.lo + r.hi) / 2
  const shrink = Math.min(1, width / height / 1.5)
  const sides = { x: 1.95 * shrink, y: 1.6 * shrink, z: 1.08 * shrink }
  const layout = {
    margin: { l: 0, r: 0, t: 0, b: 0 },
    paper_bgcolor: 'rgba(0,0,0,0)',
    showlegend: false,
    hovermode: false,
    font: { family: tokens.fontUi },
    width,
    height,
    scene: {
      xaxis: axis(0),
      yaxis: axis(1),
      zaxis: axis(2),
      aspectmode: 'manual',
      dragmode: 'turntable',
      hovermode: false,
      annotations: [
        caption([middle(rx), ry.lo, rz.lo], 0, 34, -26),
        caption([rx.lo, middle(ry), rz.lo], 1, 0, -26, 'right'),
        caption([rx.lo, ry.hi, rz.hi], 2, -24, 12, 'left'),
      ],
    },
  }
  // A scene needs a trace to exist; this one is a point that cannot be seen.
  const data = [
    { type: 'scatter3d', mode: 'markers', x: [rx.lo], y: [ry.lo], z: [rz.lo], marker: { size: 1, opacity: 0 }, hoverinfo: 'none' },
  ] as Partial<Data>[]
  return { data, layout: layout as unknown as Partial<Layout>, sides, captions: axes.map(named).join(' | '), width, height }
}
