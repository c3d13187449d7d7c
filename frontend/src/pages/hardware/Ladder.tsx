// What was tried on a miss, rung by rung, and which of them mends it.
import { errorText } from '../../api/errors'
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import type { Rung } from './comparison'

export function Ladder({ rungs }: { rungs: readonly Rung[] }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  return (
    <table className="pc-ladder">
      <thead>
        <tr>
          <th>{t('precision.rung')}</th>
          <th className="num">{t('precision.error')}</th>
          <th className="num">{t('precision.tolerance')}</th>
          <th>{t('precision.result')}</th>
        </tr>
      </thead>
      <tbody>
        {rungs.map((rung) => (
          <tr key={rung.rung}>
            <td>{translateCode('precision.rung', rung.rung, {}, rung.rung, lang)}</td>
            <td className="num">{rung.reason ? '–' : formats.small(rung.scaled_error)}</td>
            <td className="num">{formats.small(rung.tolerance)}</td>
            <td>
              {rung.reason ? (
                <span className="small s2">{errorText(rung.reason, lang).title}</span>
              ) : (
                <Chip tone={rung.within ? 'ok' : 'bad'}>{t(rung.within ? 'precision.within' : 'precision.out')}</Chip>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
