/** Names of measures in the reader's language; a plugin's measure keeps its own. */
import { useMemo } from 'react'

import { translate, translateCode } from '../../i18n'
import { measureOf } from '../logic/measures'
import type { Model } from '../logic/model'
import { scaleOf } from '../logic/scales'
import type { MetricKey } from '../types'
import { useExplorer } from './context'

export interface Names {
  /** "Time" */
  readonly name: (key: MetricKey) => string
  /** "time", inside a sentence. */
  readonly inline: (key: MetricKey) => string
  /** "Energy (estimated)": of joules, with where they are from. */
  readonly sourced: (key: MetricKey) => string
  /** "3 mJ (estimated)": an amount in words; only joules say more. */
  readonly amount: (key: MetricKey, text: string) => string
  /** "Throughput ↑ /s": with its unit, and an arrow where higher is better. */
  readonly title: (key: MetricKey) => string
  /** The same without where joules are from. */
  readonly short: (key: MetricKey) => string
  /** "Fastest", "Highest throughput": the plan that is best by it alone. */
  readonly best: (key: MetricKey) => string
}

type Named = Pick<Model, 'table' | 'scales'> & { readonly energySources?: readonly string[] }

export function namesOf(model: Named, lang: 'en' | 'zh'): Names {
  const own = (key: MetricKey) => measureOf(model.table, key)?.name ?? key
  const name = (key: MetricKey) => translateCode('explorer.metric', key, {}, own(key), lang)
  const sources = (model.energySources ?? []).map((source) => translateCode('explorer.energyBrief', source, {}, source, lang))
  const joined = sources.join(translate('list.comma', {}, lang))
  const amount = (key: MetricKey, text: string) => (key === 'energy_j' && joined ? translate('explorer.energyBrief', { name: text, sources: joined }, lang) : text)
  const sourced = (key: MetricKey) => amount(key, name(key))
  const titled = (key: MetricKey, said: string) => {
    const up = measureOf(model.table, key)?.direction === 'max' ? ' ↑' : ''
    return `${said}${up} ${scaleOf(model.scales, key).unit}`.trim()
  }
  return {
    name,
    sourced,
    amount,
    inline: (key) => translateCode('explorer.inline', key, {}, own(key), lang),
    title: (key) => titled(key, sourced(key)),
    short: (key) => titled(key, name(key)),
    best: (key) => translateCode('explorer.preset', key, {}, name(key), lang),
  }
}

export function useNames(): Names {
  const { model, lang } = useExplorer()
  const { table, scales } = model
  const energySources = model.front.energy_sources
  return useMemo(() => namesOf({ table, scales, energySources }, lang), [table, scales, energySources, lang])
}
