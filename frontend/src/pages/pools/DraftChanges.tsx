// What saving the draft of a pool would alter: figures, links, and which searches and calibrations go out of date.
import { usePoolChanges, usePoolUses } from '../../api/machines'
import type { Pool, PoolSpec } from '../../api/types'
import { useT } from '../../i18n'
import { ChangeTable } from './ChangeTable'

/** `spec`: a draft that the server has found no fault with. */
export function DraftChanges({ pool, spec }: { pool: Pool; spec: PoolSpec }) {
  const t = useT()
  const { data } = usePoolChanges(pool, { spec })
  const uses = usePoolUses(pool)
  if (!data) return null
  const now = uses.data?.versions.find((one) => one.version === pool.version)?.n_searches ?? 0
  return (
    <section className="sheet mb" aria-labelledby="changes-title">
      <div className="head">
        <h2 id="changes-title">{t('change.title')}</h2>
      </div>
      {data.changes.length > 0 && <ChangeTable changes={data.changes} total={data.n_changes} />}
      <div className="body small s2 stack">
        {data.same_plans ? <p>{t('change.none')}</p> : <p>{t('change.stale', { n: now })}</p>}
        {data.calibrations_lost.length > 0 && <p className="wrong">{t('change.lost', { list: data.calibrations_lost.join(t('list.comma')) })}</p>}
        {Object.keys(pool.calibrations).length > data.calibrations_lost.length && !data.same_plans && <p>{t('change.kept')}</p>}
      </div>
    </section>
  )
}
