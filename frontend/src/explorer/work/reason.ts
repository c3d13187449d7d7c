/** Why an operator is where it is, as one sentence in the reader's language. */
import { useCallback } from 'react'

import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { reasonParams } from '../logic/reason'
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
      const params = reasonParams(reason, devices, f, t('explorer.timeline.host'))
      return translateCode('reason', reason.code, params, reason.code, lang)
    },
    [devices, f, t, lang],
  )
}
