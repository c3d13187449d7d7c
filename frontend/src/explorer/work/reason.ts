/** Why an operator is where it is, as one sentence in the reader's language. */
import { useCallback } from 'react'

import { useFormats } from '../../format/numbers'
import { translate, translateCode, useT, type Lang } from '../../i18n'
import { figureText, gainsOf, reasonParams, reasonVariant } from '../logic/reason'
import { useExplorer } from '../state/context'
import type { PlanOperator } from '../types'

/** "300 µJ (estimated)"; joules of no known source stay as they are. */
function energyWithSources(joules: string, sources: unknown, lang: Lang): string {
  if (!Array.isArray(sources) || sources.length === 0) return joules
  const words = sources.map((source) => translateCode('explorer.energyBrief', String(source), {}, String(source), lang))
  return translate('explorer.energyBrief', { name: joules, sources: words.join(translate('list.comma', {}, lang)) }, lang)
}

export function useReason(): (operator: Pick<PlanOperator, 'reason'>) => string {
  const t = useT()
  const f = useFormats()
  const { model, lang } = useExplorer()
  const { devices } = model.front
  return useCallback(
    ({ reason }) => {
      if (!reason) return ''
      const sourced = (joules: string) => energyWithSources(joules, reason.params.energy_sources, lang)
      const params = reasonParams(reason, devices, f, sourced)
      if (reason.code === 'better_elsewhere') {
        const gains = gainsOf(reason).map(({ key, value }) =>
          key === 'delta_load_balance'
            ? t('explorer.gain.delta_load_balance')
            : t(`explorer.gain.${key}`, { value: key === 'delta_j' ? sourced(figureText(key, value, f) ?? '') : (figureText(key, value, f) ?? '') }),
        )
        params.gains = gains.length ? gains.join(lang === 'zh' ? '、' : ', ') : t('explorer.gain.other')
      }
      return translateCode('reason', reasonVariant(reason), params, reason.code, lang)
    },
    [devices, f, t, lang],
  )
}
