/** Where the joules of plan A are from, in words: one source, or the greatest with its share. */
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { energyBySource } from '../logic/certainty'
import { useExplorer } from './context'
import { usePlanDetail } from './plan-detail'

/** Empty until the plan was read. */
export function useEnergySource(): string {
  const t = useT()
  const f = useFormats()
  const { lang } = useExplorer()
  const { detail, stale } = usePlanDetail()
  const greatest = detail && !stale ? energyBySource(detail.operators)[0] : undefined
  if (!greatest) return ''
  const [source, share] = greatest
  const words = translateCode('explorer.energySource', source, {}, source, lang)
  return share > 0.995 ? words : t('explorer.sure.part', { source: words, share: f.share(share) })
}
