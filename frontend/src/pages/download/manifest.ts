// What a page reads of an archive's manifest.
import type { Formats } from '../../format/numbers'
import type { Translate } from '../../i18n'

export interface Manifest {
  approval: string | { state: string; by: string[]; at: string | null }
  notes: { code: string; params: Record<string, unknown> }[]
  coverage: { planned: number; expressed: number; unmatched: string[]; n_unmatched: number }
  hashes: Record<string, string>
  files: Record<string, { sha256: string; size_bytes: number }>
}

/** Who approved the plan when the archive was made. */
export function approvalText({ approval }: Manifest, t: Translate, formats: Pick<Formats, 'dateTime'>): string {
  if (typeof approval === 'string') return t('download.notApproved')
  if (approval.state === 'stale') return t('download.stale')
  if (approval.by.length === 0 || !approval.at) return t('download.approved')
  return t('download.approvedBy', { name: approval.by.join(t('list.comma')), when: formats.dateTime(approval.at) })
}
