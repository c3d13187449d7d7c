/** One bound: histogram with two handles, minimum and maximum inputs, and how many plans it alone removes. */
import { useId, useMemo, useState } from 'react'

import { useT } from '../../i18n'
import { withBound } from '../logic/address'
import { columnOf, measureOf } from '../logic/measures'
import { figure, inputText, parseInput, scaleOf } from '../logic/scales'
import type { Bound, Side } from '../logic/selection'
import { rangeOf } from '../logic/ticks'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'
import { BoundHistogram } from './BoundHistogram'

type Fault = 'number' | 'order'

export function BoundRow({ metric }: { metric: MetricKey }) {
  const t = useT()
  const id = useId()
  const names = useNames()
  const { model, state, lang, update } = useExplorer()
  const [draft, setDraft] = useState<{ side: Side; text: string; fault: Fault | null } | null>(null)
  const scale = scaleOf(model.scales, metric)
  const name = names.name(metric)
  const bound: Bound = state.bounds[metric] ?? { min: null, max: null }
  const { table } = model
  const range = useMemo(() => rangeOf(columnOf(table, metric)), [table, metric])
  const [low, high] = range.constant ? [range.at, range.at] : [range.lo, range.hi]
  const up = measureOf(table, metric)?.direction === 'max'
  const removed = model.selection.removedBy[metric] ?? 0
  const fault = draft?.fault ?? null

  const set = (next: Bound, how: 'now' | 'gesture') => update({ bounds: withBound(state.bounds, metric, next) }, how)
  const type = (side: Side, text: string) => {
    const parsed = parseInput(text, scale)
    if (!parsed.ok) {
      setDraft({ side, text, fault: 'number' })
      return
    }
    const next = { ...bound, [side]: parsed.value }
    if (next.min !== null && next.max !== null && next.min > next.max) {
      setDraft({ side, text, fault: 'order' })
      return
    }
    setDraft({ side, text, fault: null })
    set(next, 'gesture')
  }
  const input = (side: Side) => (
    <input
      className="in n"
      inputMode="decimal"
      autoComplete="off"
      data-bound={`${metric}.${side}`}
      aria-label={t(`explorer.bounds.${side}`, { metric: scale.unit ? `${name} ${scale.unit}` : name })}
      aria-invalid={(draft?.side === side && fault !== null) || undefined}
      aria-describedby={draft?.side === side && fault ? `${id}-fault` : undefined}
      disabled={!model.plans.length}
      placeholder={model.plans.length ? figure(side === 'min' ? low : high, scale, lang) : '–'}
      value={draft?.side === side ? draft.text : inputText(bound[side], scale)}
      onChange={(event) => type(side, event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && draft) {
          event.stopPropagation()
          setDraft(null)
        } else if (event.key === 'Enter' && !fault) setDraft(null)
      }}
      onBlur={() => {
        if (!fault) setDraft(null)
      }}
    />
  )
  return (
    <div className="xp-bound" data-metric={metric}>
      <span className="xp-bound-name">
        {name}
        {up && (
          <span title={t('explorer.higher')} aria-label={t('explorer.higher')} role="img">
            {' ↑'}
          </span>
        )}{' '}
        <span className="s3">{!model.plans.length ? '' : range.constant ? t('explorer.bounds.constant') : scale.unit}</span>
      </span>
      <span className="xp-bound-removes">{t('explorer.bounds.removes', { count: removed })}</span>
      <BoundHistogram
        metric={metric}
        range={range}
        bound={bound}
        onChange={(next) => {
          setDraft(null)
          set(next, 'gesture')
        }}
      />
      <span className="xp-bound-inputs">
        {input('min')}
        <span className="s3" aria-hidden="true">
          –
        </span>
        {input('max')}
      </span>
      {fault && (
        <p className="xp-fault" id={`${id}-fault`} role="alert">
          {fault === 'number'
            ? t('explorer.bounds.invalid.number', { example: inputText(Number(high.toPrecision(3)), scale) })
            : t('explorer.bounds.invalid.order')}
        </p>
      )}
    </div>
  )
}
