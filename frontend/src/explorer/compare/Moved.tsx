/** How many operators moved between which devices, and which ones. */
import { mix } from '../../drawing/colours'
import { DeviceTag } from '../../components/marks'
import { useT } from '../../i18n'
import { useTokens } from '../../theme/tokens'
import { type Column, VirtualTable } from '../parts/VirtualTable'
import { useExplorer } from '../state/context'
import type { DeviceRef, PlanDetail } from '../types'
import { type Move, moveMatrix, movesBetween } from './moves'

interface Props {
  readonly a: PlanDetail
  readonly b: PlanDetail
  readonly devicesB: readonly DeviceRef[]
}

export function Moved({ a, b, devicesB }: Props) {
  const t = useT()
  const tokens = useTokens()
  const { model, state, update } = useExplorer()
  const { devices } = model.front
  const moves = movesBetween(a, b, devices, devicesB)
  const matrix = moveMatrix(a, b, devices.length, devicesB.length)
  const isSame = (i: number, j: number) => devicesB[i]?.name === devices[j]?.name
  const most = Math.max(1, ...matrix.flatMap((row, i) => row.filter((_, j) => !isSame(i, j))))
  const tag = (list: readonly DeviceRef[], index: number) => ((device) => device && <DeviceTag device={device} />)(list[index])
  const columns: Column<Move>[] = [
    { key: 'b', head: 'B', cell: (move) => tag(devicesB, move.b) },
    { key: 'a', head: 'A', cell: (move) => tag(devices, move.a) },
    { key: 'name', wide: true, head: t('explorer.compare.moved'), cell: (move) => <span title={move.name}>{move.name}</span> },
  ]
  return (
    <div className="xp-compare-moved">
      <h3 className="xp-compare-head" data-testid="moved">
        {t('explorer.compare.devices', { count: moves.length, all: a.operators.length })}
      </h3>
      <div className="xp-compare-matrix" tabIndex={0} role="region" aria-label={t('explorer.compare.matrix')}>
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
              <tr key={devicesB[i]?.name ?? i}>
                <th>{tag(devicesB, i)}</th>
                {row.map((count, j) => (
                  <td
                    key={devices[j]?.name ?? j}
                    className={isSame(i, j) ? 's3' : undefined}
                    style={
                      !isSame(i, j) && count > 0
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
      <div className="xp-compare-list">
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
    </div>
  )
}
