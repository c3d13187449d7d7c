/** What the 3-D scene shows now: its axes, made anew only when they change, and the plans painted into them. */
import { useMemo } from 'react'

import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { useTokens } from '../../theme/tokens'
import { columnOf } from '../logic/measures'
import { scaleOf } from '../logic/scales'
import type { Range } from '../logic/ticks'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import { canFit, defaultValue, NO_RANGE, rangeAt, shownValues, within } from './axes'
import { lookOf } from './look'
import { marksOf } from './marked'
import type { Point3 } from './project'
import { sceneFigure, type SceneFigure } from './scene-figure'
import { HIDDEN, type Marked, type Painting, PASSING, REMOVED } from './scene-paint'
import type { SceneView } from './scene-plot'
import { useRanges } from './use-ranges'

/** Larger fronts get smaller marks, in CSS pixels of radius. */
export function markRadius(count: number): number {
  return count > 1000 ? 2.3 : count > 300 ? 2.9 : 3.5
}

/** Points of three columns, null where one lies outside its range. */
function pointsOf(columns: readonly (readonly number[])[], ranges: readonly Range[]): (Point3 | null)[] {
  const [xs = [], ys = [], zs = []] = columns
  return xs.map((x, i) => {
    const point = [x, ys[i] ?? Number.NaN, zs[i] ?? Number.NaN] as const
    return point.every((value, k) => within(ranges[k] ?? NO_RANGE, value)) ? point : null
  })
}

/** Below this width axes are named without where their figures are from. */
const NARROW_PX = 480

/** Null while there is no room. */
export function useSceneView(width: number, height: number): SceneView | null {
  const t = useT()
  const tokens = useTokens()
  const names = useNames()
  const { model, state, lang, earlier } = useExplorer()
  const { table, scales } = model
  const [kx, ky, kz] = model.axes.keys
  const narrow = state.fit && canFit(model)
  const byKey = useRanges(model, [kx, ky, kz].join(), state.fit, 0.03, earlier)
  const ranges = useMemo(() => [kx, ky, kz].map((key) => rangeAt(byKey, key)), [byKey, kx, ky, kz])

  const figure = useMemo((): SceneFigure | null => {
    if (width < 40 || height < 40) return null
    const axis = (key: string, at: number) => ({
      title: width < NARROW_PX ? names.short(key) : names.title(key),
      range: ranges[at] ?? NO_RANGE,
      scale: scaleOf(scales, key),
    })
    return sceneFigure({
      axes: [axis(kx, 0), axis(ky, 1), axis(kz, 2)],
      constant: t('explorer.constant'),
      tokens,
      lang: LOCALES[lang],
      width,
      height,
    })
  }, [kx, ky, kz, ranges, scales, names, tokens, t, lang, width, height])

  const points = useMemo(
    () => pointsOf([kx, ky, kz].map((key) => shownValues({ table, scales }, key)), ranges),
    [table, scales, kx, ky, kz, ranges],
  )
  const ghosts = useMemo(() => {
    if (!earlier) return []
    const columns = [kx, ky, kz].map((key) => columnOf(earlier.table, key).map((v) => v * scaleOf(scales, key).factor))
    return pointsOf(columns, ranges).filter((p) => p !== null)
  }, [earlier, scales, kx, ky, kz, ranges])

  return useMemo(() => {
    if (!figure) return null
    const c = tokens.value
    const look = lookOf(model, tokens)
    const kinds = new Uint8Array(points.length)
    for (const i of look.out) kinds[i] = REMOVED
    for (const i of look.order) kinds[i] = PASSING
    // A and B have marks of their own; a second one at the same place would shine through.
    for (const i of [model.a, model.b]) if (i >= 0) kinds[i] = HIDDEN
    const marks: Marked[] = []
    const reference = narrow ? null : [kx, ky, kz].map((key) => defaultValue(model, key))
    const [x = null, y = null, z = null] = reference ?? []
    if (x !== null && y !== null && z !== null) marks.push({ point: [x, y, z], which: 'default', label: t('explorer.default_plan') })
    const { knee, pick } = marksOf(model)
    const add = (which: 'A' | 'B' | 'knee' | 'pick', index: number, said: string | null) => {
      const point = points[index]
      const number = model.plans[index]?.number
      if (point && number !== undefined) marks.push({ point, which, label: said ?? t('explorer.plan.n', { number }) })
    }
    // Where A or B is the knee, their label says which plan it is, and the legend what the square around it means.
    add('knee', knee, knee === model.a || knee === model.b ? '' : t('explorer.preset.knee'))
    add('pick', pick, pick === model.b ? '' : t('explorer.legend.pick'))
    add('B', model.b, null)
    add('A', model.a, null)
    const painting: Painting = {
      ghosts,
      kinds,
      colours: look.colours,
      sizes: look.sizes,
      radius: markRadius(points.length),
      marks,
      floor: ranges[2]?.lo ?? 0,
      tones: { bg: c('bg'), ink: c('ink'), ink2: c('ink-2'), ink3: c('ink-3'), ghost: c('line-control') },
      font: tokens.fontUi,
    }
    return { figure, points, painting }
  }, [figure, points, ghosts, model, narrow, kx, ky, kz, ranges, tokens, t])
}
