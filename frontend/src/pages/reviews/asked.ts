// What a review's address asks a new thread to be about: the explorer writes it for a lane or a stretch of time.
import type { AnchorDraft } from './AnchorFields'

export interface ReviewQuery {
  about?: 'lane' | 'range'
  device?: string
  start?: string
  end?: string
}

/** The query of a review's address; what cannot be read is left out. */
export function reviewQuery(query: Record<string, unknown>): ReviewQuery {
  const { about } = query
  if (about !== 'lane' && about !== 'range') return {}
  const text = (key: 'device' | 'start' | 'end') => {
    const value = query[key]
    return typeof value === 'string' || typeof value === 'number' ? { [key]: String(value) } : {}
  }
  return { about, ...text('device'), ...text('start'), ...text('end') }
}

/** The fields of a new thread that the address fills. */
export function askedAnchor({ about, device = '', start = '', end = '' }: ReviewQuery): Partial<AnchorDraft> {
  return about ? { kind: about, device, start, end } : {}
}
