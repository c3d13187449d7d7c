/** Why an operator is where it is, as one sentence in the reader's language. */
import { useCallback } from 'react'

import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { figureText, gainsOf, reasonParams, reasonVariant } from '../logic/reason'
import { useExplorer } from '../state/context'
import type { PlanOperator } from '../types'

export function useReason(): (operator: Pick<PlanOperator, 'reason'>) => string {
  const t = useT()
  const f = useFormats()
  const { model, lang } = useExplorer()
  const { devices } = model.front
  return useCallback(
    ({ reason }) => {
      if (!reason) return ''
      const params = reasonParams(reason, devices, f)
      if (reason.code === 'better_elsewhere') {
        const gains = gainsOf(reason).map(({ key, value }) =>
          key === 'delta_load_balance'
            ? t('explorer.gain.delta_load_balance')
            : t(`explorer.gain.${key}`, { value: figureText(key, value, f) ?? '' }),
        )
        params.gains = gains.length ? gains.join(lang === 'zh' ? '、' : ', ') : t('explorer.gain.other')
      }
      return translateCode('reason', reasonVariant(reason), params, reason.code, lang)
    },
    [devices, f, t, lang],
  )
}
