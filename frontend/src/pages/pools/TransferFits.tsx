// What copies between a device and its host were measured to take: the fit of each direction, what it misses, each size.
import { useT } from '../../i18n'
import { FitTable, useFitText, type Fit } from './FitTable'

export type Transfers = Partial<Record<'h2d' | 'd2h', Fit>>

export function TransferFits({ transfers }: { transfers: Transfers }) {
  const t = useT()
  const say = useFitText()
  const { h2d, d2h } = transfers
  if (!h2d || !d2h) return null
  const columns = [
    { title: t('cal.transfers.h2d'), fit: h2d },
    { title: t('cal.transfers.d2h'), fit: d2h },
  ]
  return (
    <details className="small">
      <summary>{t('cal.transfers')}</summary>
      <dl className="cal-list">
        {columns.map(({ title, fit }) => (
          <div key={title}>
            <dt className="strong">{title}</dt>
            <dd>{say(fit)}</dd>
          </div>
        ))}
      </dl>
      <FitTable columns={columns} />
    </details>
  )
}
