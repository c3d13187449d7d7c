/** The timeline as tables: operators by lane, transfers, memory peaks. */
import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'
import { memoryTags, tagAt } from '../logic/devices'
import { figure } from '../logic/scales'
import { type Column, VirtualTable } from '../parts/VirtualTable'
import { useExplorer } from '../state/context'
import type { PlanDetail } from '../types'
import { type Flight, fromFlight, type ItemOperator } from './in-flight'
import { byStart, criticalOf } from '../logic/lookup'
import { operatorScales } from './scales'

/** Transfers beyond this many are summed up in the CSV of the plan only. */
const MOST_TRANSFERS = 500

export function TimelineTable({ detail, flight }: { detail: PlanDetail; flight: Flight | null }) {
  const t = useT()
  const f = useFormats()
  const { model, state, lang, update } = useExplorer()
  const { devices } = model.front
  const { clock } = operatorScales(detail, model.scales)
  const rows = byStart(detail)
  const critical = criticalOf(detail)
  const at = (ms: number) => figure(ms, clock, lang)
  const columns: Column<ItemOperator>[] = [
    ...(flight ? [{ key: 'item', num: true, head: t('explorer.timeline.item.head'), cell: (op: ItemOperator) => op.item }] : []),
    { key: 'lane', head: t('explorer.timeline.lane'), cell: (op) => ((d) => d && <DeviceTag device={d} />)(devices[op.device]) },
    { key: 'start', num: true, head: `${t('explorer.op.start')} ${clock.unit}`, cell: (op) => at(op.start_ms) },
    { key: 'end', num: true, head: `${t('explorer.op.end')} ${clock.unit}`, cell: (op) => at(op.end_ms) },
    { key: 'critical', head: t('explorer.timeline.critical'), cell: (op) => (critical.has(op.index) ? '●' : '') },
    { key: 'name', wide: true, head: t('explorer.op.name'), cell: (op) => op.name },
  ]
  return (
    <div className="xp-timeline-tables">
      <VirtualTable
        label={t('explorer.timeline.operators')}
        rows={rows}
        columns={columns}
        rowKey={(op) => op.index}
        selected={rows.findIndex((op) => op.index === state.operator)}
        onPick={(op) => update({ operator: flight ? fromFlight(flight, op.index).operator : op.index })}
      />
      <div className="xp-timeline-side" tabIndex={0} role="region" aria-label={t('explorer.timeline.transfers')}>
        {detail.memory.length > 0 && (
        <table>
          <caption className="sr">{t('explorer.timeline.memory')}</caption>
          <thead>
            <tr>
              <th>{t('explorer.timeline.memory')}</th>
              <th className="num">{t('explorer.timeline.peak')}</th>
            </tr>
          </thead>
          <tbody>
            {detail.memory.map((memory) => (
              <tr key={memory.device}>
                <td>{memoryTags(devices, memory, t('explorer.timeline.host'))}</td>
                <td className="num">
                  {f.bytes(memory.peak_bytes)}
                  {memory.limit_bytes !== null && (
                    <span className="s3"> {t('explorer.timeline.limit', { limit: f.bytes(memory.limit_bytes) })}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        )}
        <table>
          <caption className="sr">{t('explorer.timeline.transfers')}</caption>
          <thead>
            <tr>
              <th>{t('explorer.timeline.transfers')}</th>
              <th className="num">{t('explorer.op.start')}</th>
              <th className="num">{t('explorer.op.end')}</th>
              <th className="num">{t('explorer.timeline.size')}</th>
            </tr>
          </thead>
          <tbody>
            {detail.transfers.slice(0, MOST_TRANSFERS).map((transfer, i) => (
              <tr key={i} title={transfer.tensor}>
                <td className="nowrap">
                  {tagAt(devices, transfer.source, t('explorer.timeline.host'))} →{' '}
                  {tagAt(devices, transfer.target, t('explorer.timeline.host'))}
                </td>
                <td className="num">{at(transfer.start_ms)}</td>
                <td className="num">{at(transfer.end_ms)}</td>
                <td className="num">{f.bytes(transfer.size_bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
