// The team's calibrations, a line each; a line opens into its figures.
import { Fragment, useState } from 'react'

import { useDeleteCalibration, useRecheck, useStopCalibration, type Calibration } from '../../api/calibrations'
import { isActive } from '../../api/hardware'
import { errorText } from '../../api/errors'
import { Button } from '../../components/Button'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { Icon } from '../../components/icons'
import { Empty } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useLang, useT } from '../../i18n'
import { RunLine } from '../hardware/RunLine'
import { CalibrationFigures } from './CalibrationFigures'
import { CostChip } from './CostChip'

const COLUMNS = 5

function Checked({ row }: { row: Calibration }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  if (row.checking) return <p className="small s2">{t('cal.checking')}</p>
  if (row.check_error) return <p className="small hw-failed">{errorText(row.check_error, lang).title}</p>
  const check = row.check_result
  if (!check) return null
  const when = formats.dateTime(new Date(check.at * 1000).toISOString())
  return (
    <p className="small s2">
      {t(`cal.verdict.${check.verdict}`, { when, agreeing: check.agreeing, n: check.n, factor: formats.figure(check.factor) })}
    </p>
  )
}

function Actions({ row, may }: { row: Calibration; may: boolean }) {
  const t = useT()
  const lang = useLang()
  const recheck = useRecheck()
  const remove = useDeleteCalibration()
  const [asking, setAsking] = useState(false)
  const why = may ? null : t('forbidden.viewer')
  return (
    <div className="row wrap">
      {row.measured_at !== null && (
        <>
          <Button size="s" busy={recheck.isPending || row.checking} disabledReason={why ?? (row.device_id === null ? t('cal.recheck.away') : null)} onClick={() => recheck.mutate(row.id)}>
            {t('cal.recheck')}
          </Button>
          <a className="btn s" href={`/api/calibrations/${row.id}/bundle/`}>
            {t('cal.download')}
          </a>
        </>
      )}
      <Button size="s" kind="quiet" icon="trash" disabledReason={why} onClick={() => setAsking(true)}>
        {t('cal.delete')}
      </Button>
      {recheck.error && <span className="small hw-failed">{errorText(recheck.error, lang).title}</span>}
      <ConfirmDialog open={asking} title={t('cal.delete.ask', { name: row.device })} action={t('cal.delete')} busy={remove.isPending} error={remove.error} onConfirm={() => remove.mutate(row.id, { onSuccess: () => setAsking(false) })} onClose={() => setAsking(false)}>
        {t('cal.delete.text')}
      </ConfirmDialog>
    </div>
  )
}

export function CalibrationList({ rows, may }: { rows: readonly Calibration[]; may: boolean }) {
  const t = useT()
  const formats = useFormats()
  const stop = useStopCalibration()
  const [open, setOpen] = useState<string | null>(null)
  if (rows.length === 0) {
    return (
      <Empty inSheet title={t('cal.list.none')}>
        <p>{t('cal.list.noneText')}</p>
      </Empty>
    )
  }
  return (
    <div className="scroll-x">
      <table className="roomy">
        <thead>
          <tr>
            <th>{t('cal.device')}</th>
            <th>{t('cal.where')}</th>
            <th className="num">{t('cal.rows')}</th>
            <th className="num">{t('cal.heldOut')}</th>
            <th>{t('cal.state')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const shown = open === row.id
            return (
              <Fragment key={row.id}>
                <tr className={shown ? 'opened' : undefined}>
                  <td>
                    <button type="button" className="disclose" aria-expanded={shown} onClick={() => setOpen(shown ? null : row.id)}>
                      <Icon name={shown ? 'chevron' : 'right'} />
                      <span className="cut cal-name">{row.device}</span>
                    </button>
                  </td>
                  <td className="s2">
                    {[row.host, row.runtime, row.source === 'upload' ? t('cal.source.upload') : null].filter(Boolean).join(' · ')}
                  </td>
                  <td className="num">
                    {row.n_rows > 0 ? formats.number(row.n_rows) : '–'}
                    {row.flagged > 0 && <span className="s3"> · {t('cal.flagged', { n: row.flagged })}</span>}
                  </td>
                  <td className="num">{row.held_out ? formats.share(row.held_out.mape, 1) : '–'}</td>
                  <td className="cal-state">
                    {isActive(row) || row.state === 'failed' ? (
                      <RunLine run={row} device={row.device_id} label={row.device} stopping={stop.isPending} whyNotStop={may ? null : t('forbidden.viewer')} onStop={() => stop.mutate(row.id)} />
                    ) : (
                      <CostChip calibration={row} />
                    )}
                  </td>
                </tr>
                {shown && (
                  <tr className="opened-form">
                    <td colSpan={COLUMNS}>
                      <div className="cal-open">
                        <Actions row={row} may={may} />
                        <Checked row={row} />
                        {row.measured_at !== null && <CalibrationFigures calibration={row} />}
                      </div>
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
