// Where a profile is from, where it is no run with the profiler.
import type { ModelProfile } from '../api/profiles'
import type { Translate } from '../i18n'

/** `Trial run of plan 3 (gpu0)`; null for a run of the model with the profiler. */
export function originText(t: Translate, row: ModelProfile): string | null {
  const origin = row.figures?.kind === 'trial' ? row.figures.origin : undefined
  return origin ? t('profile.trial', { n: origin.plan_number ?? 0, device: origin.device }) : null
}
