/** Every operator of plan A: device, times, energy, source of its cost and the reason in one sentence. */
import { useMemo, useState } from 'react'

import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { figure } from '../logic/scales'
import { type Column, VirtualTable } from '../parts/VirtualTable'
import { useExplorer } from '../state/context'
import { useMedia } from '../state/use-size'
import type { PlanDetail, PlanOperator } from '../types'
import { useReason } from './reason'
import { operatorScales } from './scales'
import { shownOperator } from './shown'
import { Tools } from './Tools'

export function byStart(operators: readonly PlanOperator[]): PlanOperator[] {
  return [...operators].sort((a, b) => a.start_ms - b.start_ms || a.order - b.order)
}

export function Operators({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const f = useFormats()
  const { model, state, lang, update } = useExplorer()
  const reason = useReason()
  const [query, setQuery] = useState('')
  const { devices } = model.front
  const scales = useMemo(() => operatorScales(detail, model.scales), [detail, model.scales])
  const ordered = useMemo(() => byStart(detail.operators).map((op, i) => ({ op, place: i + 1 })), [detail])
  const rows = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (!words.length) return ordered
    return ordered.filter(({ op }) => {
      const device = devices[op.device]
      const text = `${op.name} ${op.op_type} ${op.members.join(' ')} ${device?.tag ?? ''} ${device?.name ?? ''}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }, [ordered, query, devices])

  type Row = (typeof ordered)[number]
  const narrow = useMedia('(max-width: 1679px)')
  const uniform = new Set(detail.operators.filter((op) => !op.is_view).map((op) => op.cost_source)).size <= 1
  const source: Column<Row> = {
    key: 'source',
    head: t('explorer.op.source'),
    cell: ({ op }) => (
      <span className="s3">{translateCode('explorer.source', op.cost_source, {}, op.cost_source, lang)}</span>
    ),
  }
  const columns: Column<Row>[] = [
    { key: 'place', num: true, head: t('explorer.op.number'), cell: ({ place }) => <span className="s3">{f.number(place)}</span> },
    {
      key: 'name',
      head: t('explorer.op.name'),
      cell: ({ op }) => (
        <span className="xp-op-name" title={op.name}>
          {op.name}
        </span>
      ),
    },
    { key: 'type', head: t('explorer.op.type'), cell: ({ op }) => <span className="s2">{op.op_type}</span> },
    {
      key: 'device',
      head: t('explorer.op.device'),
      cell: ({ op }) => {
        const device = devices[op.device]
        return device && <DeviceTag device={device} />
      },
    },
    { key: 'start', num: true, head: t('explorer.op.start'), cell: ({ op }) => figure(op.start_ms, scales.clock, lang) },
    { key: 'end', num: true, head: t('explorer.op.end'), cell: ({ op }) => figure(op.end_ms, scales.clock, lang) },
    {
      key: 'time',
      num: true,
      head: `${t('explorer.op.time')} ${scales.time.unit}`,
      cell: ({ op }) => figure(op.time_ms, scales.time, lang),
    },
    {
      key: 'energy',
      num: true,
      head: `${t('explorer.op.energy')} ${scales.energy.unit}`,
      cell: ({ op }) => figure(op.energy_j, scales.energy, lang),
    },
    ...(uniform && narrow ? [] : [source]),
    { key: 'reason', wide: true, head: t('explorer.op.reason'), cell: ({ op }) => <span title={reason(op)}>{op.reason ? reason(op) : t('explorer.op.reason_asked')}</span> },
  ]
  const plan = model.plans[model.a]
  const shown = shownOperator(detail, state.operator)?.index
  return (
    <>
      <Tools>
        {query && <span className="small s3 nowrap">{t('explorer.op.count', { shown: rows.length, all: ordered.length })}</span>}
        <input
          className="in xp-find"
          type="search"
          id="xp-find"
          placeholder={t('explorer.op.find')}
          aria-label={t('explorer.op.find')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation()
              setQuery('')
            }
          }}
        />
      </Tools>
      <div className="xp-pane">
        <VirtualTable
          label={t('explorer.op.caption', { number: plan?.number ?? 0 })}
          rows={rows}
          columns={columns}
          rowKey={({ op }) => op.index}
          selected={rows.findIndex(({ op }) => op.index === shown)}
          onPick={({ op }) => update({ operator: op.index })}
          empty={t('explorer.op.none', { query })}
        />
      </div>
    </>
  )
}
