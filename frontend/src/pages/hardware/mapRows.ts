// Maps of several devices as one table: a row for each operator, a cell for each map.
import type { OperatorMapDetail, OperatorStatus, OperatorSupport } from '../../api/hardware'

export const STATUSES: readonly OperatorStatus[] = ['native', 'composed', 'falls_back', 'wrong', 'unsupported', 'not_tested']

export interface MapRow {
  /** `Relu`, or `ai.onnx.ml::Scaler` outside of the main domain. */
  name: string
  since: number
  /** In the order of the maps; null where a map does not know the operator. */
  cells: (OperatorSupport | null)[]
}

export function mapRows(maps: readonly OperatorMapDetail[]): MapRow[] {
  const rows = new Map<string, MapRow>()
  maps.forEach((map, column) => {
    for (const support of map.operators ?? []) {
      const name = support.domain ? `${support.domain}::${support.op_type}` : support.op_type
      let row = rows.get(name)
      if (!row) {
        row = { name, since: support.since_version, cells: maps.map(() => null) }
        rows.set(name, row)
      }
      row.since = Math.max(row.since, support.since_version)
      row.cells[column] = support
    }
  })
  return [...rows.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

export interface MapFilter {
  name: string
  /** What at least one device does; every operator if empty. */
  status: OperatorStatus | ''
  /** Only where the devices do not do the same. */
  differing: boolean
}

export function filterRows(rows: readonly MapRow[], filter: MapFilter): MapRow[] {
  const wanted = filter.name.trim().toLowerCase()
  return rows.filter((row) => {
    if (wanted && !row.name.toLowerCase().includes(wanted)) return false
    const statuses = row.cells.flatMap((cell) => (cell ? [cell.status] : []))
    if (filter.status && !statuses.includes(filter.status)) return false
    return !filter.differing || new Set(statuses).size > 1
  })
}
