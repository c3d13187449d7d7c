// What was sent to a webhook and what came back.
import { useDeliveries, type Delivery } from '../../api/team'
import { Chip, type Tone } from '../../components/marks'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'

const TONES: Record<Delivery['state'], Tone> = { waiting: 'info', done: 'ok', failed: 'bad' }

export function Deliveries({ hook }: { hook: string }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const deliveries = useDeliveries(hook)
  const rows = deliveries.data?.results
  if (deliveries.error) return <LoadFailed error={deliveries.error} onRetry={() => void deliveries.refetch()} />
  if (rows?.length === 0) return <p className="s3">{t('team.hook.log.none')}</p>
  return (
    <div className="scroll-x">
      <table>
        <tbody>
          {rows?.map((one) => (
            <tr key={one.id}>
              <td className="nowrap s3">{formats.dateTime(one.created_at)}</td>
              <td className="mono">{one.event}</td>
              <td>
                <Chip tone={TONES[one.state]}>{t(`team.hook.state.${one.state}`)}</Chip>
              </td>
              <td className="num" title={t('team.hook.attempts')}>
                {formats.number(one.attempts)}
              </td>
              <td className="s2">
                {one.status ?? ''}{' '}
                {one.error && translateCode('delivery', one.error.code, {}, one.error.message, lang)}{' '}
                {one.next_at && <span className="s3">{t('team.hook.next', { time: formats.dateTime(one.next_at) })}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
