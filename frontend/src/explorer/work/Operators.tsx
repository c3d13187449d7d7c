/** Every operator of plan A: device, times, energy, source of its cost and the reason in one sentence. */
import { useMemo, useRef } from 'react'

import { DeviceTag } from '../../components/marks'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { FIND_LENGTH } from '../logic/address'
import { figure } from '../logic/scales'
import { type Column, VirtualTable } from '../parts/VirtualTable'
import { useExplorer } from '../state/context'
import { PinMark } from '../steer/PinMark'
import { GroupMenu, SelectBar } from '../steer/SelectBar'
import { useSteering } from '../steer/steering'
import { useMedia } from '../../drawing/use-size'
import type { PlanDetail } from '../types'
import { byStart } from '../logic/lookup'
import { useReason } from './reason'
import { operatorScales } from './scales'
import { shownOperator } from './shown'
import { Tools } from './Tools'

export function Operators({ detail }: { detail: PlanDetail }) {
  const t = useT()
  const f = useFormats()
  const { model, state, lang, update } = useExplorer()
  const reason = useReason()
  const { pins, selected, select } = useSteering()
  const anchor = useRef<number | null>(null)
  const query = state.find
  const setQuery = (text: string) => update({ find: text.slice(0, FIND_LENGTH) }, 'gesture')
  const { devices } = model.front
  const scales = useMemo(() => operatorScales(detail, model.scales), [detail, model.scales])
  const ordered = useMemo(() => byStart(detail).map((op, i) => ({ op, place: i + 1 })), [detail])
  const pinnedWord = t('explorer.steer.all_pinned')
  const rows = useMemo(() => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    if (!words.length) return ordered
    return ordered.filter(({ op }) => {
      const device = devices[op.device]
      const text = `${op.name} ${op.op_type} ${op.members.join(' ')} ${device?.tag ?? ''} ${device?.name ?? ''} ${pins[op.index] === undefined ? '' : pinnedWord}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }, [ordered, query, devices, pins, pinnedWord])

  type Row = (typeof ordered)[number]
  const narrow = useMedia('(max-width: 1679px)')
  const joulesFrom = [...new Set(detail.operators.filter((op) => op.energy_j > 0).map((op) => op.energy_source))]
    .map((one) => translateCode('explorer.energyBrief', one, {}, one, lang))
    .join(t('list.comma'))
  const uniform = new Set(detail.operators.filter((op) => !op.is_view).map((op) => op.cost_source)).size <= 1
  const source: Column<Row> = {
    key: 'source',
    head: t('explorer.op.source'),
    cell: ({ op }) => (
      <span className="s3">{translateCode('explorer.source', op.cost_source, {}, op.cost_source, lang)}</span>
    ),
  }
  const interval: Column<Row> = {
    key: 'interval',
    num: true,
    head: t('explorer.sure.interval', { unit: scales.time.unit }),
    cell: ({ op }) => (op.is_view ? '–' : `${figure(op.time_low_ms, scales.time, lang)} – ${figure(op.time_high_ms, scales.time, lang)}`),
  }
  const all = rows.length > 0 && rows.every(({ op }) => selected.has(op.index))
  /** Select or deselect a row; with Shift every row from the last one. */
  const toggle = (index: number, range: boolean) => {
    const place = rows.findIndex(({ op }) => op.index === index)
    const from = range ? rows.findIndex(({ op }) => op.index === anchor.current) : -1
    const next = new Set(selected)
    if (from >= 0) rows.slice(Math.min(from, place), Math.max(from, place) + 1).forEach(({ op }) => next.add(op.index))
    else if (!next.delete(index)) next.add(index)
    anchor.current = index
    select(next)
  }
  const columns: Column<Row>[] = [
    {
      key: 'place',
      num: true,
      head: (
        <span className="xp-op-place">
          <input
            type="checkbox"
            className="xp-check"
            checked={all}
            ref={(box) => {
              if (box) box.indeterminate = !all && selected.size > 0
            }}
            aria-label={t('explorer.steer.select_all')}
            onChange={() => select(all ? [] : rows.map(({ op }) => op.index))}
          />
          {t('explorer.op.number')}
        </span>
      ),
      cell: ({ op, place }) => (
        <span className="xp-op-place">
          <input
            type="checkbox"
            className="xp-check"
            tabIndex={-1}
            checked={selected.has(op.index)}
            aria-label={t('explorer.steer.select_one', { name: op.name })}
            onClick={(event) => {
              event.stopPropagation()
              toggle(op.index, event.shiftKey)
            }}
            onChange={() => undefined}
          />
          <span className="s3">{f.number(place)}</span>
        </span>
      ),
    },
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
        const pin = pins[op.index]
        return (
          <span className="xp-placed">
            {device && <DeviceTag device={device} />}
            {pin !== undefined && <PinMark device={pin} placed={op.device} />}
          </span>
        )
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
      cell: ({ op }) => (
        <span title={translateCode('explorer.energySource', op.energy_source, {}, op.energy_source, lang)}>{figure(op.energy_j, scales.energy, lang)}</span>
      ),
    },
    ...(narrow ? [] : [interval]),
    ...(uniform && narrow ? [] : [source]),
    { key: 'reason', wide: true, head: t('explorer.op.reason'), cell: ({ op }) => <span title={reason(op)}>{op.reason ? reason(op) : t('explorer.op.reason_asked')}</span> },
  ]
  const plan = model.plans[model.a]
  const shown = shownOperator(detail, state.operator)?.index
  return (
    <>
      <Tools>
        <GroupMenu />
        {joulesFrom && (
          <span className="small s3 nowrap">{t('explorer.energyBrief', { name: t('explorer.op.energy'), sources: joulesFrom })}</span>
        )}
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
      <div className="xp-pane xp-operators">
        <SelectBar />
        <VirtualTable
          label={t('explorer.op.caption', { number: plan?.number ?? 0 })}
          rows={rows}
          columns={columns}
          rowKey={({ op }) => op.index}
          selected={rows.findIndex(({ op }) => op.index === shown)}
          hint={t('explorer.steer.table_hint')}
          onPick={({ op }, _, event) => {
            const space = 'key' in event && event.key === ' '
            if (space || event.shiftKey || event.ctrlKey || event.metaKey) toggle(op.index, event.shiftKey)
            else {
              anchor.current = op.index
              update({ operator: op.index })
            }
          }}
          empty={t('explorer.op.none', { query })}
        />
      </div>
    </>
  )
}
