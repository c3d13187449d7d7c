// Differences between two states of a pool, a line each, with what of a plan each alters.
import type { PoolChange } from '../../api/machines'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT, type Lang } from '../../i18n'

function useShown() {
  const t = useT()
  const formats = useFormats()
  return (value: unknown): string => {
    if (value === null || value === undefined) return t('common.none')
    if (typeof value === 'number') return formats.figure(value, 5)
    if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no')
    if (Array.isArray(value)) return value.length > 6 ? `${value.slice(0, 6).join(', ')}, …` : value.join(', ') || t('common.none')
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
}

/** "Peak, GFLOP/s · fp32" of `peak_gflop_per_s.fp32`. */
function fieldName(field: string, lang: Lang): string {
  const [root = '', ...rest] = field.split('.')
  return [translateCode('change.field', root, {}, root, lang), ...rest].join(' · ')
}

export function ChangeTable({ changes, total }: { changes: readonly PoolChange[]; total: number }) {
  const t = useT()
  const lang = useLang()
  const shown = useShown()
  return (
    <>
      <div className="scroll-x change-rows" tabIndex={0} role="group" aria-label={t('change.title')}>
        <table>
          <thead>
            <tr>
              <th>{t('change.device')}</th>
              <th>{t('change.field')}</th>
              <th className="num">{t('change.before')}</th>
              <th className="num">{t('change.after')}</th>
              <th>{t('change.alters')}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={`${change.kind} ${change.where} ${change.field}`}>
                <td className="strong">{change.where || t('change.pool')}</td>
                <td>{translateCode('change.kind', change.kind, {}, fieldName(change.field, lang), lang)}</td>
                <td className="num">{shown(change.before)}</td>
                <td className="num">{shown(change.after)}</td>
                <td className="s2">{translateCode('change.alters', change.alters || 'nothing', {}, change.alters, lang)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > changes.length && <p className="small s3 pad">{t('change.more', { n: total - changes.length })}</p>}
    </>
  )
}
