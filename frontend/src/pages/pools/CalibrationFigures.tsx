// What a calibration found: errors by operator type, the parity plot, flags, refusals, and what changed since.
import { useState } from 'react'

import { useCalibration, type Accuracy, type Calibration } from '../../api/calibrations'
import { Banner } from '../../components/Banner'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { ParityPlot, type Parity } from './ParityPlot'
import { TransferFits, type Transfers } from './TransferFits'

/** Nothing runs faster beside another: below it the run alone was disturbed. */
const LEAST_SLOWDOWN = 0.9

type Level = 'template' | 'roofline' | 'model'
interface HeldOut {
  used: Accuracy
  by_level: Partial<Record<Level, Accuracy>>
  by_group: Record<string, Partial<Record<Level, Accuracy>>>
  largest: Partial<Record<Level, Accuracy>>
  largest_by_group: Record<string, Accuracy>
  levels: Record<string, Level>
  refusals: { group: string; level: Level; error: number; kept: Level; kept_error: number }[]
  parity: Parity[]
}
interface Figures {
  launch_overhead_us: number
  energy_source: 'measured' | 'estimated'
  flags: string[]
  flag_counts: Record<string, number>
  from_models: number
  own_flagged?: number
  own_untimed?: number
  not_run: { kind: string; why: string }[]
  held_out: HeldOut | null
  stopped?: string
  contention?: { beside: string; memory: number; compute: number } | null
  transfers?: Transfers
}

/** Errors above this are marked: planning needs 30 %. */
const LARGE = 0.3

function Errors({ held, marked, onMark }: { held: HeldOut; marked: string | null; onMark: (group: string | null) => void }) {
  const t = useT()
  const formats = useFormats()
  const share = (value: number | undefined) => (value === undefined ? '–' : formats.share(value, value < 0.1 ? 1 : 0))
  const cell = (one: Accuracy | undefined) => <td className={one && one.n > 0 && one.mape > LARGE ? 'num cal-large' : 'num'}>{one && one.n > 0 ? share(one.mape) : '–'}</td>
  const groups = Object.keys(held.by_group).sort((a, b) => (held.by_group[b]?.roofline?.n ?? 0) - (held.by_group[a]?.roofline?.n ?? 0))
  return (
    <div className="scroll-x cal-errors">
      <table>
        <thead>
          <tr>
            <th>{t('cal.group')}</th>
            <th className="num">{t('cal.n')}</th>
            <th>{t('cal.predictedBy')}</th>
            <th className="num">{t('cal.error')}</th>
            <th className="num">{t('cal.roofline')}</th>
            <th className="num">{t('cal.largest')}</th>
            <th className="num">{t('cal.within')}</th>
          </tr>
        </thead>
        <tbody>
          <tr className="strong">
            <td>{t('cal.all')}</td>
            <td className="num">{formats.number(held.used.n)}</td>
            <td />
            {cell(held.used)}
            {cell(held.by_level.roofline)}
            {cell(held.largest.model)}
            <td className="num">{share(held.used.within_30)}</td>
          </tr>
          {groups.map((group) => {
            const level = held.levels[group] ?? held.levels['*'] ?? 'roofline'
            const found = held.by_group[group]
            return (
              <tr key={group} className={marked === group ? 'opened' : undefined}>
                <td>
                  <button type="button" className="link" aria-pressed={marked === group} onClick={() => onMark(marked === group ? null : group)}>
                    {group}
                  </button>
                </td>
                <td className="num">{formats.number(found?.roofline?.n ?? 0)}</td>
                <td className="s2">{t(`cal.level.${level}`)}</td>
                {cell(found?.[level])}
                {cell(found?.roofline)}
                {cell(held.largest_by_group[group])}
                <td className="num">{share(found?.[level]?.within_30)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Refusals({ held }: { held: HeldOut }) {
  const t = useT()
  const formats = useFormats()
  if (held.refusals.length === 0) return null
  return (
    <details className="small">
      <summary>
        {t('cal.refused')} ({held.refusals.length})
      </summary>
      <ul className="cal-list">
        {held.refusals.map((one) => (
          <li key={`${one.group} ${one.level}`}>
            {t('cal.refused.row', {
              group: one.group === '*' ? t('cal.everythingElse') : one.group,
              level: t(`cal.level.${one.level}`),
              error: formats.share(one.error, 1),
              kept: t(`cal.level.${one.kept}`),
              keptError: formats.share(one.kept_error, 1),
            })}
          </li>
        ))}
      </ul>
    </details>
  )
}

export function CalibrationFigures({ calibration }: { calibration: Calibration }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  const [marked, setMarked] = useState<string | null>(null)
  const found = useCalibration(calibration)
  if (found.error && !found.data) return <LoadFailed error={found.error} onRetry={() => void found.refetch()} />
  const detail = found.data
  if (!detail) return null
  const figures = detail.figures as unknown as Figures | null
  const held = figures?.held_out
  const flag = (name: string) => translateCode('cal.flag', name, {}, name, lang)
  const facts = figures
    ? [
        t(`cal.energy.${figures.energy_source}`),
        t('cal.launch', { us: formats.figure(figures.launch_overhead_us) }),
        figures.contention
          ? t(figures.contention.memory < LEAST_SLOWDOWN ? 'cal.besideUnsure' : 'cal.beside', { name: figures.contention.beside, memory: formats.figure(figures.contention.memory), compute: formats.figure(figures.contention.compute) })
          : null,
        figures.from_models > 0 ? t('cal.fromModels', { n: figures.from_models }) : null,
        figures.own_flagged ? t('cal.ownFlagged', { n: figures.own_flagged }) : null,
        figures.own_untimed ? t('cal.ownUntimed', { n: figures.own_untimed }) : null,
        figures.stopped === 'budget' ? t('cal.stopped.budget') : null,
        ...Object.entries(figures.flag_counts).map(([name, n]) => `${flag(name)} ${formats.number(n)}`),
        ...figures.flags.map(flag),
      ].filter((fact) => fact !== null)
    : []
  return (
    <div className="cal-figures">
      {detail.stale_reasons.length > 0 && (
        <Banner tone="warn" role="status" title={t('cal.stale')}>
          {detail.stale_reasons.map((reason) => translateCode('note', reason.code, reason.params as Record<string, string | number>, reason.code, lang)).join(' · ')}
        </Banner>
      )}
      {detail.changes.length > 0 && (
        <details className="small" open={detail.changes.length <= 8}>
          <summary>
            {t('cal.changes')} ({detail.changes.length})
          </summary>
          <div className="scroll-x">
            <table className="small-table">
              <thead>
                <tr>
                  <th />
                  <th>{t('cal.before')}</th>
                  <th>{t('cal.after')}</th>
                </tr>
              </thead>
              <tbody>
                {detail.changes.map((change) => (
                  <tr key={`${change.kind} ${change.name}`}>
                    <td>{change.name}</td>
                    <td className="mono">{change.before.slice(0, 24) || '–'}</td>
                    <td className="mono">{change.after.slice(0, 24) || '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
      {facts.length > 0 && <p className="small s2">{facts.join(' · ')}</p>}
      {figures && !held && <p className="small s2">{t('cal.few')}</p>}
      {held && (
        <div className="cal-cols">
          <Errors held={held} marked={marked} onMark={setMarked} />
          <ParityPlot rows={held.parity} marked={marked} />
        </div>
      )}
      {held && <Refusals held={held} />}
      {figures?.transfers && <TransferFits transfers={figures.transfers} />}
      {figures && figures.not_run.length > 0 && (
        <details className="small">
          <summary>
            {t('cal.notRun')} ({figures.not_run.length})
          </summary>
          <ul className="cal-list">
            {figures.not_run.map((one) => (
              <li key={one.kind}>
                <b>{one.kind}</b> {one.why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
