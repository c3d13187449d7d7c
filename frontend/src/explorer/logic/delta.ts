/** A change of a figure with its sign and unit; one too small for the column is still a change. */
import type { Lang } from '../../i18n'
import { figure, type Scale, signed } from './scales'

export function deltaText(delta: number | null, scale: Scale, lang: Lang): string {
  if (delta === null) return '–'
  const text = signed(delta, scale, lang)
  if (delta !== 0 && text.replace(/[0.,]/g, '') === '') return `${delta > 0 ? '+' : '−'} ${figure(Math.abs(delta), scale, lang)} ${scale.unit}`
  return `${text} ${scale.unit}`.trim()
}
