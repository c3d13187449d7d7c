// What a copy between the two devices of the chosen link was measured to take, and by which path.
import { usePairTransfers } from '../../api/transfers'
import { useT } from '../../i18n'
import { FitTable, useFitText } from './FitTable'

export interface PairFitProps {
  pool: string
  version: number
  source: string
  target: string
  /** The pool states a link of the two, whose figures plans take. */
  linked: boolean
}

export function PairFit({ pool, version, source, target, linked }: PairFitProps) {
  const t = useT()
  const say = useFitText()
  const { data } = usePairTransfers(pool, version, source, target)
  if (!data) return null
  const found = data[0]
  if (!found) return <p className="small s3">{t('link.unmeasured')}</p>
  return (
    <details className="small pair-fit">
      <summary>
        <b>{t(`link.path.${found.path}`)}</b> {say(found.fit)}
      </summary>
      {found.path === 'composed' && <p className="s2">{t(linked ? 'link.composed.linked' : 'link.composed.used')}</p>}
      {found.fit.samples.length > 0 && <FitTable columns={[{ title: `${source} → ${target}`, fit: found.fit }]} />}
    </details>
  )
}
