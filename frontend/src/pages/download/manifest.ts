// What a page reads of an archive's manifest.
import type { PlanExport } from '../../api/exports'
import type { Formats } from '../../format/numbers'
import type { Translate } from '../../i18n'
import { reasonText } from '../reviews/reasons'

export interface Manifest {
  approval: string | { state: string; by: string[]; at: string | null }
  notes: { code: string; params: Record<string, unknown> }[]
  coverage: { planned: number; expressed: number; unmatched: string[]; n_unmatched: number }
  hashes: Record<string, string>
  files: Record<string, { sha256: string; size_bytes: number }>
}

/** Who approved the plan, as the archive says it. */
export function approvalText({ approval }: Manifest, t: Translate, formats: Pick<Formats, 'dateTime'>): string {
  if (typeof approval === 'string') return t('download.notApproved')
  if (approval.by.length === 0 || !approval.at) return t(approval.state === 'stale' ? 'download.stale' : 'download.approved')
  const who = { name: approval.by.join(t('list.comma')), when: formats.dateTime(approval.at) }
  return t(approval.state === 'stale' ? 'download.staleBy' : 'download.approvedBy', who)
}

/** That the approval in the archive holds no longer, and why; null where it does, or where there is none. */
export function endedText(
  now: PlanExport['approval_now'],
  t: Translate,
  formats: Pick<Formats, 'date' | 'dateTime'>,
): string | null {
  if (!now || now.holds) return null
  switch (now.state) {
    case 'stale':
      return [t('download.ended.stale'), ...now.reasons.map((reason) => reasonText(reason, t, formats.date))].join(' ')
    case 'approved':
      return t('download.ended.again', { name: now.by.join(t('list.comma')), when: now.at ? formats.dateTime(now.at) : '' })
    case 'changes_requested':
      return t('download.ended.changes')
    case 'in_review':
      return t('download.ended.review')
    default:
      return t('download.ended.withdrawn')
  }
}
