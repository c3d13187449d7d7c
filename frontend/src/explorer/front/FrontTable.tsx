/** All plans of the front as a sortable table: the same content as the charts. */
import { useMemo, useState } from 'react'

import { PlanMark } from '../../components/marks'
import { useT } from '../../i18n'
import { LOCALES } from '../../i18n/format'
import { columnOf, multipleAt } from '../logic/measures'
import { figure, fixed, multiple, scaleOf } from '../logic/scales'
import { type Column, type Sorting, VirtualTable } from '../parts/VirtualTable'
import { useExplorer, useHovered } from '../state/context'
import { useNames } from '../state/names'

interface Row {
  readonly index: number
}

export function FrontTable() {
  const t = useT()
  const names = useNames()
  const { model, lang, hover, setA, setB } = useExplorer()
  const hovered = useHovered()
  const [sorting, setSorting] = useState<Sorting>({ key: 'score', down: false })
  const { plans, table, selection, scales } = model

  const rows = useMemo(() => {
    const place = new Map(selection.ranked.map((plan, rank) => [plan, rank]))
    const value = (i: number): number => {
      const plan = plans[i]
      if (!plan) return 0
      if (sorting.key === 'number') return plan.number
      if (sorting.key === 'score') return place.get(i) ?? plans.length + (selection.scores[i] ?? 0)
      if (sorting.key === 'passes') return selection.passing[i] ? 0 : 1
      if (sorting.key === 'devices') return plan.devices.filter((d) => d.operators > 0).length
      return columnOf(table, sorting.key)[i] ?? 0
    }
    const sign = sorting.down ? -1 : 1
    return plans
      .map((_, index): Row => ({ index }))
      .sort((p, q) => sign * (value(p.index) - value(q.index)) || p.index - q.index)
  }, [plans, table, selection, sorting])

  const head = (text: string) => ({ head: text, sortLabel: t('explorer.table.sort', { column: text }) })
  const columns: Column<Row>[] = [
    {
      key: 'number',
      ...head(t('explorer.plan.short')),
      cell: ({ index }) => (
        <span className="xp-ranked-plan">
          {index === model.a ? <PlanMark plan="A" /> : index === model.b ? <PlanMark plan="B" /> : <i />}
          {plans[index]?.number}
          {plans[index]?.from_solver && <span className="s3"> {t('explorer.plan.from_solver')}</span>}
        </span>
      ),
    },
    { key: 'score', num: true, ...head(t('explorer.table.score')), cell: ({ index }) => fixed(selection.scores[index] ?? 0, 3, LOCALES[lang]) },
    ...table.measures.flatMap((measure): Column<Row>[] => {
      const metric = measure.key
      const base: Column<Row> = {
        key: metric,
        num: true,
        ...head(names.title(metric)),
        cell: ({ index }) => figure(columnOf(table, metric)[index] ?? Number.NaN, scaleOf(scales, metric), lang),
      }
      if (!measure.objective) return [base]
      return [
        base,
        {
          key: `${metric}.multiple`,
          num: true,
          head: t('explorer.of_default'),
          cell: ({ index }) => <span className="s3">{multiple(multipleAt(table, measure, index), lang)}</span>,
        },
      ]
    }),
    {
      key: 'devices',
      num: true,
      ...head(t('explorer.table.devices')),
      cell: ({ index }) => plans[index]?.devices.filter((d) => d.operators > 0).length ?? 0,
    },
    {
      key: 'passes',
      ...head(t('explorer.table.passes')),
      cell: ({ index }) => (selection.passing[index] ? t('explorer.table.yes') : <span className="s3">{t('explorer.table.no')}</span>),
    },
  ]
  return (
    <VirtualTable
      label={t('explorer.table.caption')}
      hint={t('explorer.table.help')}
      rows={rows}
      columns={columns}
      rowKey={({ index }) => plans[index]?.hash ?? index}
      selected={rows.findIndex(({ index }) => index === model.a)}
      marked={rows.findIndex(({ index }) => index === hovered)}
      onPick={({ index }, _, event) => (event.shiftKey ? setB : setA)(index)}
      onHover={(at) => hover.set(rows[at]?.index ?? -1)}
      sorting={sorting}
      onSort={setSorting}
    />
  )
}
