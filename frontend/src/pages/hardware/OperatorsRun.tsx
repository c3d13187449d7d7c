// A comparison of operators: those that use most of their tolerance first, with their cases and what mends a miss.
import { useState } from 'react'

import { errorText } from '../../api/errors'
import { Chip } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useLang, useT } from '../../i18n'
import { worstFirst, type Body, type CaseRow } from './comparison'
import { Ladder } from './Ladder'

const TONES = { within: 'ok', out: 'bad', not_run: 'draft' } as const

function Case({ row }: { row: CaseRow }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  return (
    <li>
      <div className="row wrap">
        <span className="mono">{row.key}</span>
        <Chip tone={TONES[row.status]}>{t(`precision.status.${row.status}`)}</Chip>
        {row.status !== 'not_run' && (
          <span className="small s2">
            {t('precision.case', { error: formats.small(row.scaled_error), tolerance: formats.small(row.tolerance) })}
            {typeof row.ulp === 'number' && ` · ${formats.figure(row.ulp)} ULP`}
            {(row.nan_mismatch ?? 0) + (row.inf_mismatch ?? 0) > 0 && ` · NaN ${row.nan_mismatch ?? 0}, Inf ${row.inf_mismatch ?? 0}`}
          </span>
        )}
        {row.suspect && <span className="small s2">{t('precision.suspect', { side: t(`precision.${row.suspect === 'left' ? 'left' : 'right'}`) })}</span>}
        {row.reason && (
          <span className="small s2">
            {row.reason.side && `${t(`precision.${row.reason.side === 'left' ? 'left' : 'right'}`)}: `}
            {errorText(row.reason, lang).title}
          </span>
        )}
      </div>
      {row.ladder && row.ladder.length > 0 && <Ladder rungs={row.ladder} />}
    </li>
  )
}

export function OperatorsRun({ body }: { body: Body }) {
  const t = useT()
  const formats = useFormats()
  const [open, setOpen] = useState<string | null>(null)
  const sums = Array.isArray(body.summary.operators) ? body.summary.operators : []
  return (
    <div className="scroll-x">
      <table>
        <thead>
          <tr>
            <th>{t('operators.operator')}</th>
            <th className="num">{t('precision.cases')}</th>
            <th className="num">{t('precision.status.out')}</th>
            <th className="num">{t('precision.status.not_run')}</th>
            <th className="num">{t('precision.error')}</th>
            <th>{t('precision.share')}</th>
          </tr>
        </thead>
        <tbody>
          {worstFirst(sums).map((row) => {
            const opened = open === row.op_type
            const share = row.share_of_tolerance
            return [
              <tr key={row.op_type} className={opened ? 'opened' : undefined}>
                <td>
                  <button type="button" className="disclose" aria-expanded={opened} onClick={() => setOpen(opened ? null : row.op_type)}>
                    {row.op_type}
                  </button>
                </td>
                <td className="num">{formats.number(row.cases)}</td>
                <td className={row.out > 0 ? 'num hw-failed strong' : 'num s3'}>{formats.number(row.out)}</td>
                <td className="num s3">{formats.number(row.not_run)}</td>
                <td className="num">{row.within + row.out > 0 ? formats.small(row.scaled_error) : '–'}</td>
                <td>
                  {row.within + row.out > 0 && (
                    <span className="pc-share">
                      <span className="pc-bar" data-over={row.out > 0 || undefined}>
                        <i style={{ width: `${Math.min(1, share ?? 1) * 100}%` }} />
                      </span>
                      <span className="small s2">{share === null ? '∞' : formats.share(share)}</span>
                    </span>
                  )}
                </td>
              </tr>,
              opened && (
                <tr key={`${row.op_type} cases`} className="opened-form">
                  <td colSpan={6}>
                    <ul className="pc-cases">
                      {body.cases
                        .filter((one) => one.op_type === row.op_type)
                        .map((one) => (
                          <Case key={one.key} row={one} />
                        ))}
                    </ul>
                  </td>
                </tr>
              ),
            ]
          })}
        </tbody>
      </table>
    </div>
  )
}
