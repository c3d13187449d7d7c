/** The line at the foot: how the search ended, what multiples refer to, and the bound on time. */
import { Help } from '../../components/Help'
import { useFormats } from '../../format/numbers'
import { translateCode, useT } from '../../i18n'
import { withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import { usePlanDetail } from '../state/plan-detail'

/** Where the times of plan A come from, as shares of its operators. */
function useSources(): string {
  const f = useFormats()
  const { lang } = useExplorer()
  const { detail } = usePlanDetail()
  if (!detail?.operators.length) return ''
  const counts = new Map<string, number>()
  for (const { cost_source: source } of detail.operators) counts.set(source, (counts.get(source) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([source, n]) => `${translateCode('explorer.source', source, {}, source, lang)} ${f.share(n / detail.operators.length)}`)
    .join(', ')
}

export function StatusLine() {
  const t = useT()
  const f = useFormats()
  const { search, model, lang, unread } = useExplorer()
  const { front, scales } = model
  const { default_plan: reference, lower_bound: bound } = front
  const sources = useSources()
  const device = reference.device ?? '–'
  const tag = front.devices.find((d) => d.name === device)?.tag
  // The search has ended, but its last front is still on its way: the figures below are not final yet.
  const ended = search.state === 'done' || search.state === 'stopped'
  const state = ended && front.revision < search.front_revision ? 'running' : search.state
  const plan = t(`explorer.reference.${reference.kind}`, { device: tag ? `${device} (${tag})` : device })
  return (
    <footer className="status xp-status">
      <span>{unread ? t(`explorer.front.${unread === 'reading' ? 'reading' : 'unread'}`) : state === 'done' ? t('explorer.status.done') : t(`explorer.state.${state}`)}</span>
      {!unread && (
        <>
          <span>{t('explorer.status.generations', { count: f.number(front.generation) })}</span>
          <span>{t('explorer.status.evaluations', { count: f.number(front.evaluations) })}</span>
        </>
      )}
      {front.hypervolume !== null && (
        <span className="xp-status-help">
          {t('explorer.run.hypervolume', { value: f.number(front.hypervolume, 3) })}
          <Help terms={['hypervolume']} />
        </span>
      )}
      {search.islands && <span>{t('explorer.run.islands.count', { count: search.islands.count })}</span>}
      <span>{t('explorer.status.seed', { seed: String(search.settings.seed) })}</span>
      {bound.exec_time_ms > 0 && (
        <span>{t('explorer.status.lower_bound', { value: withUnit(bound.exec_time_ms, scales.exec_time_ms, lang) })}</span>
      )}
      <span className="r">
        {model.plans.length > 0 && <span>{t('explorer.status.reference', { plan })}</span>}
        {sources && <span>{t('explorer.status.sources', { sources })}</span>}
      </span>
    </footer>
  )
}
