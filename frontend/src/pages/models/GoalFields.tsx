// What a search optimises, within which bounds, and what its pipeline is simulated with.
import { useObjectives } from '../../api/queries'
import type { RegisteredObjective } from '../../api/types'
import { Button } from '../../components/Button'
import { Help, type Term } from '../../components/Help'
import { SelectField, TextField } from '../../components/Field'
import { translateCode, useLang, useT } from '../../i18n'
import { constraintFault, LIMITS, shownUnit, type ConstraintForm, type PlanField, type PlanForm } from './planSettings'

const USUAL: readonly string[] = ['exec_time_ms', 'energy_j', 'load_balance']
/** What is explained beside the objectives. */
const TERMS: readonly [Term, ...Term[]] = ['makespan', 'energy', 'balance', 'throughput', 'p99']
const SLOTS = [0, 1, 2] as const

interface Props {
  form: PlanForm
  wrong: readonly PlanField[]
  onChange: (form: PlanForm) => void
}

/** Names of objectives in the reader's language, with an arrow where higher is better. */
function useTitle() {
  const lang = useLang()
  return ({ key, name, direction }: RegisteredObjective) =>
    `${translateCode('explorer.metric', key, {}, name, lang)}${direction === 'max' ? ' ↑' : ''}`
}

export function GoalFields({ form, wrong, onChange }: Props) {
  const t = useT()
  const title = useTitle()
  const all = useObjectives().data ?? []
  const chosen = form.objectives ?? USUAL
  const bounded = form.constraints.map((bound) => bound.objective)
  // What is simulated with arrivals needs their rate; what was chosen stays, and the rate is asked for.
  const searchable = all.filter(
    ({ key, needs }) => needs !== 'arrivals' || form.rate.trim() !== '' || chosen.includes(key) || bounded.includes(key),
  )
  if (searchable.length === 0) return null
  const unaimed = searchable.filter(({ key, annealing }) => annealing === 'none' && chosen.includes(key))
  /** Slots without a gap: clearing one moves the later ones up. */
  const choose = (slot: number, key: string) => {
    const next = [...chosen]
    const other = next.indexOf(key)
    if (key !== '' && other >= 0) next[other] = next[slot] ?? ''
    next[slot] = key
    const kept = next.filter(Boolean)
    onChange({ ...form, objectives: kept.join() === USUAL.join() ? null : kept })
  }
  const bounds = (constraints: ConstraintForm[]) => onChange({ ...form, constraints })
  const free = searchable.filter(({ key }) => form.constraints.every((bound) => bound.objective !== key))
  const number = (field: 'items' | 'rate', error: string) => ({
    numeric: true,
    value: form[field],
    error: wrong.includes(field) ? error : null,
    onChange: (value: string) => onChange({ ...form, [field]: value }),
  })
  return (
    <>
      <fieldset>
        <legend className="lab">
          {t('plan.objectives')}
          <Help terms={TERMS} label={t('plan.objectives')} />
        </legend>
        <div className="plan-thirds">
          {SLOTS.slice(0, Math.min(3, chosen.length + 1)).map((slot) => (
            <SelectField key={slot} label={t('plan.objective.n', { n: slot + 1 })} value={chosen[slot] ?? ''} onChange={(key) => choose(slot, key)}>
              {(slot > 0 || chosen.length > 1) && <option value="">{t('plan.objective.none')}</option>}
              {searchable.map((objective) => (
                <option key={objective.key} value={objective.key}>
                  {title(objective)}
                </option>
              ))}
            </SelectField>
          ))}
        </div>
        <p className="small s3 plan-hint">{t('plan.objectives.hint')}</p>
        {unaimed.length > 0 && (
          <p className="small plan-hint" role="note">
            {t('plan.objectives.unaimed', { names: unaimed.map(title).join(', ') })}
          </p>
        )}
      </fieldset>
      <fieldset>
        <legend className="lab">{t('plan.constraints')}</legend>
        {form.constraints.map((bound, i) => {
          const objective = all.find(({ key }) => key === bound.objective)
          if (!objective) return null
          const name = title(objective)
          const unit = shownUnit(objective.unit).label
          const set = (patch: Partial<ConstraintForm>) => bounds(form.constraints.map((b, k) => (k === i ? { ...b, ...patch } : b)))
          const fault = bound.min + bound.max === '' ? null : constraintFault(bound)
          return (
            <div key={bound.objective} className="plan-bound">
              <span className="cut">
                {name} <span className="s3">{unit}</span>
              </span>
              {(['min', 'max'] as const).map((side) => (
                <input
                  key={side}
                  className="in n"
                  inputMode="decimal"
                  autoComplete="off"
                  placeholder={t(`plan.constraint.${side}`)}
                  aria-label={t(`explorer.bounds.${side}`, { metric: `${name} ${unit}`.trim() })}
                  aria-invalid={fault !== null || undefined}
                  value={bound[side]}
                  onChange={(event) => set({ [side]: event.target.value })}
                />
              ))}
              <Button kind="quiet" size="s" icon="x" aria-label={t('plan.constraint.remove', { name })} onClick={() => bounds(form.constraints.filter((_, k) => k !== i))} />
              {fault && fault !== 'empty' && (
                <p className="wrong" role="alert">
                  {t(fault === 'order' ? 'explorer.bounds.invalid.order' : 'plan.constraint.number')}
                </p>
              )}
            </div>
          )
        })}
        {free.length > 0 && (
          <select
            className="in m plan-add"
            aria-label={t('plan.constraint.add')}
            value=""
            onChange={(event) => bounds([...form.constraints, { objective: event.target.value, min: '', max: '' }])}
          >
            <option value="">{t('plan.constraint.add')}</option>
            {free.map((objective) => (
              <option key={objective.key} value={objective.key}>
                {title(objective)}
              </option>
            ))}
          </select>
        )}
      </fieldset>
      <fieldset>
        <legend className="sr">{t('plan.pipeline')}</legend>
        <div className="plan-grid">
          <TextField
            label={t('plan.items')}
            hint={t('plan.items.hint')}
            placeholder={t('plan.auto')}
            {...number('items', t('plan.whole', { low: LIMITS.items[0], high: LIMITS.items[1] }))}
          />
          <TextField label={t('plan.rate')} hint={t('plan.rate.hint')} unit="/s" {...number('rate', t(form.rate.trim() === '' ? 'plan.rate.needed' : 'plan.rate.wrong'))} />
        </div>
      </fieldset>
    </>
  )
}
