// Where a plan, or a thread's place in it, is shown in the explorer: its state stands in the address.
import type { Anchor } from '../../api/reviews'
import { hashKey, writeSpan } from '../../explorer/logic/address'

interface Place {
  search: { id: string }
  plan_hash: string
}

/** The plan as A, and its operator, lane or time where a thread names one. */
export function explorerAddress(review: Place, anchor?: Anchor): string {
  const query = new URLSearchParams({ a: hashKey(review.plan_hash) })
  if (anchor && anchor.kind !== 'plan') query.set('at', 'work')
  if (anchor?.kind === 'operator' && anchor.operator !== null) query.set('op', String(anchor.operator))
  if (anchor?.kind === 'lane' || anchor?.kind === 'range') {
    if (anchor.device) query.set('lane', anchor.device)
    if (anchor.start_ms !== null && anchor.end_ms !== null) query.set('mark', writeSpan({ from: anchor.start_ms, to: anchor.end_ms }))
  }
  return `/searches/${review.search.id}?${query.toString()}`
}
