/** Four ways to choose at once: fastest, least energy, most balanced, knee. */
import { useT } from '../../i18n'
import { presetOf } from '../logic/model'
import { withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'

const PRESETS = [
  { key: 'fastest', metric: 'exec_time_ms' },
  { key: 'least_energy', metric: 'energy_j' },
  { key: 'most_balanced', metric: 'load_balance' },
  { key: 'knee', metric: null },
] as const

export function Presets() {
  const t = useT()
  const { model, lang, setA } = useExplorer()
  return (
    <section className="xp-block" aria-label={t('explorer.presets')}>
      <div className="xp-presets">
        {PRESETS.map(({ key, metric }) => {
          const index = presetOf(model, key)
          const plan = model.plans[index]
          return (
            <button
              key={key}
              type="button"
              title={t('explorer.preset.hint')}
              aria-pressed={index >= 0 && index === model.a}
              disabled={!plan}
              onClick={() => setA(index)}
            >
              <span>{t(`explorer.preset.${key}`)}</span>
              <b>
                {!plan
                  ? '–'
                  : metric
                    ? withUnit(plan[metric], model.scales[metric], lang)
                    : t('explorer.plan.n', { number: plan.number })}
              </b>
            </button>
          )
        })}
      </div>
    </section>
  )
}
