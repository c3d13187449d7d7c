/** Legend of the front: score ramp, removed plans, and what the marks of plans mean. */
import { useT } from '../../i18n'
import { canFit } from './axes'
import { useTokens } from '../../theme/tokens'
import { measureOf } from '../logic/measures'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import { PlanMark } from './Mark'
import { marksOf } from './marked'

export function Legend({ left, top, width, height }: { left: number; top: number; width: number; height: number }) {
  const t = useT()
  const tokens = useTokens()
  const names = useNames()
  const { model, state, earlier } = useExplorer()
  if (width < 70) return null
  const wide = width > 128
  const narrow = state.fit && canFit(model)
  const rows: { key: string; mark: 'default' | 'knee' | 'pick' | 'out' | 'earlier' | 'size'; text: string }[] = []
  const name = (i: number) => {
    const number = model.plans[i]?.number ?? 0
    return width > 160 ? t('explorer.plan.n', { number }) : String(number)
  }
  if (!narrow && model.selection.nPassing < model.plans.length)
    rows.push({ key: 'out', mark: 'out', text: t(wide ? 'explorer.legend.removed' : 'explorer.legend.removed.short') })
  if (earlier) rows.push({ key: 'earlier', mark: 'earlier', text: earlier.generation === undefined ? t('explorer.earlier.legend', { number: earlier.search.number }) : t('explorer.history.generation', { generation: earlier.generation }) })
  if (model.axes.size) rows.push({ key: 'size', mark: 'size', text: t('explorer.legend.size', { metric: names.inline(model.axes.size) }) })
  if (!narrow) rows.push({ key: 'default', mark: 'default', text: t('explorer.default_plan') })
  const { knee, pick } = marksOf(model)
  if (knee >= 0) rows.push({ key: 'knee', mark: 'knee', text: t('explorer.preset.knee') })
  if (pick >= 0) rows.push({ key: 'pick', mark: 'pick', text: t('explorer.legend.pick') })
  const by = model.axes.colour ? measureOf(model.table, model.axes.colour) : undefined
  // All rows, as long as they do not touch.
  const step = Math.min(22, Math.max(16, Math.floor((height - 50) / (rows.length + 1))))
  const first = top + 46 + step
  const fit = rows.filter((_, i) => first + (i + 1) * step < height + top)
  const last = first + fit.length * step
  const half = left + width / 2
  return (
    <g aria-hidden="true">
      <text className="xp-name" x={left} y={top + 12}>
        {model.axes.colour ? names.name(model.axes.colour) : t('explorer.legend.score')}
      </text>
      {tokens.score.map((colour, i) => (
        <rect key={colour} x={left + (i * width) / 5} y={top + 20} width={width / 5 + 0.5} height={7} fill={colour} />
      ))}
      <text className="xp-tick" x={left} y={top + 40}>
        {t(by ? (by.direction === 'max' ? 'explorer.legend.low' : 'explorer.legend.high') : 'explorer.legend.worse')}
      </text>
      <text className="xp-tick" x={left + width} y={top + 40} textAnchor="end">
        {t(by ? (by.direction === 'max' ? 'explorer.legend.high' : 'explorer.legend.low') : 'explorer.legend.better')}
      </text>
      {fit.map(({ key, mark, text }, i) => {
        const y = first + i * step
        return (
          <g key={key}>
            {mark === 'out' && <circle cx={left + 7} cy={y - 4} r={2.5} fill={tokens.value('score-out')} />}
            {mark === 'earlier' && <circle className="xp-ghosts" cx={left + 7} cy={y - 4} r={3} />}
            {mark === 'size' && (
              <>
                <circle cx={left + 3} cy={y - 3} r={1.8} fill={tokens.score[3]} />
                <circle cx={left + 11} cy={y - 4} r={4.2} fill={tokens.score[3]} />
              </>
            )}
            {mark === 'default' && <PlanMark x={left + 7} y={y - 4} which="default" />}
            {mark === 'knee' && <path className="xp-mark-open" d={`M${left + 2} ${y - 9}h10v10h-10z`} />}
            {mark === 'pick' && <path className="xp-mark-open" d={`M${left + 7} ${y - 10}l6 10h-12z`} />}
            <text className="xp-name" x={left + 20} y={y}>
              {text}
            </text>
          </g>
        )
      })}
      {last < height + top &&
        ([['A', model.a, left], ['B', model.b, half]] as const).map(
          ([which, index, x]) =>
            index >= 0 && (
              <g key={which}>
                <PlanMark x={x + 7} y={last - 4} which={which} />
                <text className="xp-name" x={x + 20} y={last}>
                  {name(index)}
                </text>
              </g>
            ),
        )}
    </g>
  )
}
