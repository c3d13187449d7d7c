// Numbers of GPUs with runs drawn together, and simulated times in one unit.
import type { Formats } from '../../format/numbers'
import type { Translate } from '../../i18n'

export function numbers(gpus: readonly number[]): string {
  const runs: [number, number][] = []
  for (const gpu of gpus) {
    const last = runs.at(-1)
    if (last && gpu === last[1] + 1) last[1] = gpu
    else runs.push([gpu, gpu])
  }
  return runs.map(([first, end]) => (first === end ? String(first) : `${first}–${end}`)).join(', ')
}

/** Writes simulated times of which `largest` is the largest in one unit, so that they can be compared at a glance. */
export function timesUpTo(largest: number, t: Translate, formats: Formats): (seconds: number) => string {
  return largest < 0.1
    ? (seconds) => t('training.milliseconds', { n: formats.figure(seconds * 1000, 3) })
    : (seconds) => t('training.seconds', { n: formats.figure(seconds, 3) })
}
