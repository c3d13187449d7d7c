/** Three weights that add up to 100: slider and number each; a double click on a name makes it the only one. */
import { type CSSProperties, useId, useState } from 'react'

import { useT } from '../../i18n'
import { moveWeight } from '../logic/weights'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'
import type { MetricKey } from '../types'

export function Weights() {
  const t = useT()
  const { model } = useExplorer()
  if (model.table.objectives.length < 2) return null
  return (
    <section className="xp-block" aria-label={t('explorer.weights')}>
      <div className="xp-block-head">
        <h2>{t('explorer.weights')}</h2>
        <span className="r small s3">{t('explorer.weights.sum')}</span>
      </div>
      {model.table.objectives.map(({ key }, i) => (
        <WeightRow key={key} metric={key} index={i} />
      ))}
    </section>
  )
}

function WeightRow({ metric, index }: { metric: MetricKey; index: number }) {
  const t = useT()
  const id = useId()
  const names = useNames()
  const { model, update } = useExplorer()
  const [draft, setDraft] = useState<string | null>(null)
  const value = model.weights[index] ?? 0
  const name = names.name(metric)
  const invalid = draft !== null && !/^\s*(100|\d{1,2})\s*%?\s*$/.test(draft)
  const set = (next: number, how: 'now' | 'gesture') =>
    update({ weights: moveWeight(model.weights, index, next), a: null }, how)
  return (
    <div className="xp-weight" data-metric={metric}>
      <label htmlFor={id} title={t('explorer.weights.only', { metric: name })} onDoubleClick={() => set(100, 'now')}>
        {name}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        step={1}
        value={value}
        style={{ '--p': `${value}%` } as CSSProperties}
        aria-label={t('explorer.weights.slider', { metric: name })}
        aria-valuetext={`${value}%`}
        onChange={(event) => {
          setDraft(null)
          set(Number(event.target.value), 'gesture')
        }}
      />
      <span className="xp-percent">
        <input
          className="in n"
          inputMode="numeric"
          autoComplete="off"
          aria-label={t('explorer.weights.input', { metric: name })}
          aria-invalid={invalid || undefined}
          title={invalid ? t('explorer.weights.invalid') : undefined}
          value={draft ?? String(value)}
          onChange={(event) => {
            const text = event.target.value
            setDraft(text)
            if (/^\s*(100|\d{1,2})\s*%?\s*$/.test(text)) set(Number.parseInt(text, 10), 'gesture')
          }}
          onKeyDown={(event) => {
            const step = { ArrowUp: 1, ArrowDown: -1 }[event.key]
            if (step) {
              event.preventDefault()
              setDraft(null)
              set(value + step, 'gesture')
            } else if (event.key === 'Enter') setDraft(null)
          }}
          onBlur={() => setDraft(null)}
        />
      </span>
    </div>
  )
}
