// Why an approval is stale, in words.
import type { Reason } from '../../api/reviews'
import type { Translate } from '../../i18n'

export function reasonText(reason: Reason, t: Translate, date: (iso: string) => string): string {
  const params = reason.params as Record<string, unknown>
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String).join(t('list.comma')) : '')
  const when = { date: date(reason.at), by: reason.by ?? t('review.somebody') }
  switch (reason.code) {
    case 'recalibrated':
      return t('review.reason.recalibrated', { devices: list(params.devices), date: when.date })
    case 'pool_changed': {
      const devices = list(params.devices)
      return devices
        ? t('review.reason.pool_changed', { devices, date: when.date })
        : t('review.reason.links_changed', { date: when.date })
    }
    case 'pinned':
      return t('review.reason.pinned', { ...when, number: Number(params.number) })
    case 'edited':
      return t('review.reason.edited', { ...when, moved: Number(params.moved ?? 0) })
    default:
      return t('review.reason.searched_again', { number: Number(params.number), date: when.date })
  }
}
