/** Plans A and B side by side: figures, how many operators moved between which devices, and which ones. */
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { DeviceTag, PlanMark } from '../../components/marks'
import { useT } from '../../i18n'
import { planValue } from '../logic/model'
import { figure, scaleOf, signed } from '../logic/scales'
import { type Column, VirtualTable } from '../parts/VirtualTable'
import { useExplorer } from '../state/context'
import { swapPlans } from '../state/step'
import { useDetailOf } from '../state/plan-detail'
import { useTokens } from '../../theme/tokens'
import { useNames } from '../state/names'
import type { PlanDetail } from '../types'
import { mix } from '../../drawing/colours'
import { Tools } from './Tools'

export interface Move {
  readonly index: number
  readonly name: string
  readonly a: number
  readonly b: number
}

/** Operators that sit on another device in A than in B, in the order of A. */
export function movesBetween(a: PlanDetail, b: PlanDetail): Move[] {
  const where = new Map(b.operators.map((op) => [op.index, op.device]))
  return a.operators.flatMap((op) => {
    const other = where.get(op.index)
    return other === undefined || other === op.device ? [] : [{ index: op.index, name: op.name, a: op.device, b: other }]
  })
}

/** Operators by device of B (row) and device of A (column). */
export function moveMatrix(a: PlanDetail, b: PlanDetail, devices: number): number[][] {
  const matrix = Array.from({ length: devices }, () => new Array<number>(devices).fill(0))
  const where = new Map(b.operators.map((op) => [op.index, op.device]))
  for (const op of a.operators) {
    const row = matrix[where.get(op.index) ?? -1]
    if (row) row[op.device] = (row[op.device] ?? 0) + 1
  }
  return matrix
}

export function Compare({ a }: { a: PlanDetail }) {
  const t = useT()
  const explorer = useExplorer()
  const { search, model } = explorer
  const planB = model.plans[model.b]
  const other = useDetailOf(search.id, planB, false)
  if (!planB || model.a === model.b) return <p className="xp-work-note s3">{t('explorer.compare.need')}</p>
  return (
    <div className="xp-compare">
      <Tools>
        <Button kind="quiet" size="s" icon="swap" onClick={() => swapPlans(explorer)} aria-label={t('explorer.compare.swap')}>
          A ⇄ B
        </Button>
      </Tools>
      <FigureTable />
      {other.detail ? (
        <Placement a={a} b={other.detail} />
      ) : (
        <div className="xp-work-note">
          {other.error ? <ErrorBanner error={other.error} /> : <p className="s3">{t('explorer.work.loading')}</p>}
        </div>
      )}
    </div>
  )
}

function FigureTable() {
  const t = useT()
  const names = useNames()
  const { model, lang } = useExplorer()
  const a = model.plans[model.a]
  const b = model.plans[model.b]
  if (!a || !b) return null
  return (
    <div className="xp-compare-part">
      <table aria-label={t('explorer.compare.figures')}>
        <thead>
          <tr>
            <th>{t('explorer.compare.figures')}</th>
            <th className="num">
              <PlanMark plan="A" /> {a.number}
            </th>
            <th className="num">
              <PlanMark plan="B" /> {b.number}
            </th>
            <th className="num">{t('explorer.compare.diff')}</th>
          </tr>
        </thead>
        <tbody>
          {model.table.measures.map(({ key: metric }) => {
            const scale = scaleOf(model.scales, metric)
            const [mine, other] = [planValue(model, model.a, metric), planValue(model, model.b, metric)]
            return (
              <tr key={metric}>
                <td className="nowrap">
                  {names.name(metric)} <span className="s3">{scale.unit}</span>
                </td>
                <td className="num strong">{figure(mine, scale, lang)}</td>
                <td className="num">{figure(other, scale, lang)}</td>
                <td className="num s2">{signed(mine - other, scale, lang)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Placement({ a, b }: { a: PlanDetail; b: PlanDetail }) {
  const t = useT()
  const tokens = useTokens()
  const { model, state, update } = useExplorer()
  const { devices } = model.front
  const moves = movesBetween(a, b)
  const matrix = moveMatrix(a, b, devices.length)
  const most = Math.max(1, ...matrix.flatMap((row, i) => row.filter((_, j) => i !== j)))
  const tag = (index: number) => {
    const device = devices[index]
    return device && <DeviceTag device={device} />
  }
  const columns: Column<Move>[] = [
    { key: 'b', head: 'B', cell: (move) => tag(move.b) },
    { key: 'a', head: 'A', cell: (move) => tag(move.a) },
    { key: 'name', wide: true, head: t('explorer.compare.moved'), cell: (move) => <span title={move.name}>{move.name}</span> },
  ]
  return (
    <>
      <div className="xp-compare-part">
        <h3 className="xp-compare-head">{t('explorer.compare.devices', { count: moves.length, all: a.operators.length })}</h3>
        <table className="xp-matrix" aria-label={t('explorer.compare.matrix')}>
          <thead>
            <tr>
              <th className="s3">B╲A</th>
              {devices.map((device) => (
                <th key={device.name}>
                  <DeviceTag device={device} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {matrix.map((row, i) => (
              <tr key={devices[i]?.name ?? i}>
                <th>{tag(i)}</th>
                {row.map((count, j) => (
                  <td
                    key={devices[j]?.name ?? j}
                    className={i === j ? 's3' : undefined}
                    style={
                      i !== j && count > 0
                        ? { background: mix(tokens.value('bg'), tokens.value('score-3'), 0.1 + (0.3 * count) / most), fontWeight: 600 }
                        : undefined
                    }
                  >
                    {count || <span className="s3">·</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="xp-compare-part xp-compare-list">
        <VirtualTable
          label={t('explorer.compare.moved')}
          rows={moves}
          columns={columns}
          rowKey={(move) => move.index}
          selected={moves.findIndex((move) => move.index === state.operator)}
          onPick={(move) => update({ operator: move.index })}
          empty={t('explorer.compare.same')}
        />
      </div>
    </>
  )
}
