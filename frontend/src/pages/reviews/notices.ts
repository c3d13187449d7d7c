// What a notification says.
import type { Notification } from '../../api/reviews'
import type { Translate } from '../../i18n'

const KINDS = ['requested', 'approved', 'changes_requested', 'withdrawn', 'comment', 'mention', 'resolved'] as const

export function noticeText(notice: Notification, t: Translate): string {
  if (notice.kind === 'stale') return t('notices.stale')
  const kind = KINDS.find((one) => one === notice.kind)
  return kind ? t(`notices.${kind}`, { name: notice.actor?.name ?? t('review.somebody') }) : notice.kind
}

/** Where it leads: the thread that it is about, or the review. */
export function noticeHash(notice: Notification): string | undefined {
  return notice.thread === null ? undefined : `thread-${notice.thread}`
}
