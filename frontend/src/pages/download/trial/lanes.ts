// Where each segment of a trial run is drawn: for each device that is used, a lane as predicted and one as measured.
import type { TrialResult, TrialSegment } from '../../../api/trials'

export interface Span {
  index: number
  from: number
  to: number
}

export interface Lane {
  device: string
  predicted: Span[]
  measured: Span[]
}

/** Lanes in the order of `devices`, with spans in milliseconds since the start of the item, and when all has ended. */
export function lanesOf(segments: readonly TrialSegment[], devices: readonly string[]): { lanes: Lane[]; end: number } {
  const lanes = devices
    .map((device) => {
      const own = segments.filter((segment) => segment.device === device)
      return {
        device,
        predicted: own.map((s) => ({ index: s.index, from: s.predicted_start_ms, to: s.predicted_finish_ms })),
        measured: own.map((s) => ({ index: s.index, from: s.measured_start_ms, to: s.measured_start_ms + s.measured_ms })),
      }
    })
    .filter((lane) => lane.predicted.length > 0)
  const ends = lanes.flatMap((lane) => [...lane.predicted, ...lane.measured].map((span) => span.to))
  return { lanes, end: Math.max(...ends, 1e-9) }
}

/** The worst output: one that is wrong altogether, or the one that is furthest into its tolerance. */
export function worstOutput(result: TrialResult) {
  const share = (one: TrialResult['outputs'][number]) =>
    one.distance === null ? Infinity : one.distance / Math.max(one.tolerance, 1e-30)
  return result.outputs.reduce<TrialResult['outputs'][number] | null>(
    (worst, one) => (worst === null || share(one) > share(worst) ? one : worst),
    null,
  )
}

/** Sums over the segments of each device, in the order in which they first run. */
export function devicesOf(result: TrialResult) {
  const rows = new Map<string, { device: string; segments: number; predicted: number; measured: number; memory: number }>()
  for (const segment of result.segments) {
    const row = rows.get(segment.device) ?? { device: segment.device, segments: 0, predicted: 0, measured: 0, memory: 0 }
    row.segments += 1
    row.predicted += segment.predicted_ms
    row.measured += segment.measured_ms
    row.memory += segment.memory_bytes
    rows.set(segment.device, row)
  }
  return [...rows.values()]
}
