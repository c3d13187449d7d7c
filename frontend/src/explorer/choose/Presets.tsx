/** Ways to choose at once: the best plan by each figure alone, and the knee. */
import { Help } from '../../components/Help'
import { useT } from '../../i18n'
import { planValue, presetOf } from '../logic/model'
import { scaleOf, withUnit } from '../logic/scales'
import { useExplorer } from '../state/context'
import { useNames } from '../state/names'

export function Presets() {
  const t = useT()
  const names = useNames()
  const { model, lang, setA } = useExplorer()
  const presets = [...model.figures.map((m) => m.key), 'knee']
  return (
    <section className="xp-block" aria-label={t('explorer.presets')}>
      <div className="xp-presets">
        {presets.map((key) => {
          const index = presetOf(model, key)
          const plan = model.plans[index]
          return (
            <button
              key={key}
              type="button"
              title={key === 'knee' ? t('explorer.preset.hint') : `${names.sourced(key)}. ${t('explorer.preset.hint')}`}
              aria-pressed={index >= 0 && index === model.a}
              disabled={!plan}
              onClick={() => setA(index)}
            >
              <span>{names.best(key)}</span>
              <b>
                {!plan
                  ? '–'
                  : key !== 'knee'
                    ? withUnit(planValue(model, index, key), scaleOf(model.scales, key), lang)
                    : t('explorer.plan.n', { number: plan.number })}
              </b>
            </button>
          )
        })}
        <span className="xp-knee-help">
          <Help terms={['knee']} />
        </span>
      </div>
    </section>
  )
}
