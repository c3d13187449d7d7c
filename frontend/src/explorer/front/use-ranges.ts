/** Axis ranges that stay the same object while they stay the same, so that what is drawn from them is kept. */
import { useMemo } from 'react'

import type { Model } from '../logic/model'
import type { Earlier } from '../state/earlier'
import { type Ranges, rangesOf } from './axes'

/** Of the measures in `keys`, joined by commas. */
export function useRanges(model: Model, keys: string, fit: boolean, pad: number, earlier: Earlier | null): Ranges {
  // With all plans in view the ranges do not depend on what is chosen.
  const text = useMemo(() => JSON.stringify(rangesOf(model, keys.split(','), fit, pad, earlier)), [model, keys, fit, pad, earlier])
  return useMemo(() => JSON.parse(text) as Ranges, [text])
}
