// Starts a search: the pool and a few settings, with sound defaults.
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type SubmitEvent } from 'react'

import { useStartSearch } from '../../api/mutations'
import { useObjectives, usePools } from '../../api/queries'
import type { Model } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { CheckField, SelectField, TextField } from '../../components/Field'
import { DeviceTags } from '../../components/marks'
import { LoadFailed } from '../../components/states'
import { usePoolName } from '../../format/poolName'
import { useT } from '../../i18n'
import { dimsText } from './Bindings'
import { GoalFields } from './GoalFields'
import { DEFAULT_PLAN_FORM, LIMITS, readPlanForm, type PlanField, type PlanForm } from './planSettings'

function PoolChoice({ chosen, onChoose }: { chosen: string | null; onChoose: (id: string) => void }) {
  const t = useT()
  const pools = usePools()
  const poolName = usePoolName()
  if (pools.error && !pools.data) return <LoadFailed error={pools.error} onRetry={() => void pools.refetch()} />
  if (pools.data?.results.length === 0) {
    return (
      <p className="small s2">
        {t('plan.pool.none')} <Link to="/pools" search={{ new: true }}>{t('plan.pool.new')}</Link>
      </p>
    )
  }
  return (
    <fieldset>
      <legend className="lab">{t('plan.pool')}</legend>
      <div className="picks">
        {pools.data?.results.map((pool) => (
          <label className="pick" key={pool.id}>
            <input type="radio" name="pool" checked={pool.id === chosen} onChange={() => onChoose(pool.id)} />
            <span className="grow cut">
              {poolName(pool.name, pool.is_sample)} {pool.is_sample && <span className="s3 small">{t('common.sample')}</span>}
            </span>
            <DeviceTags devices={pool.devices} most={12} />
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function Settings({ form, wrong, onChange }: { form: PlanForm; wrong: readonly PlanField[]; onChange: (form: PlanForm) => void }) {
  const t = useT()
  const complaint = (field: 'generations' | 'population' | 'seed' | 'cap') => {
    if (!wrong.includes(field)) return null
    const [low, high] = LIMITS[field]
    return field === 'cap' ? t('plan.capRange', { low, high }) : t('plan.whole', { low, high })
  }
  const field = (name: 'generations' | 'population' | 'seed' | 'cap') => ({
    numeric: true,
    value: form[name],
    error: complaint(name),
    onChange: (value: string) => onChange({ ...form, [name]: value }),
  })
  return (
    <fieldset>
      <legend className="sr">{t('plan.settings')}</legend>
      <div className="plan-grid">
        <TextField label={t('plan.generations')} hint={t('plan.generations.hint')} {...field('generations')} />
        <TextField
          label={t('plan.population')}
          hint={t('plan.population.hint')}
          placeholder={t('plan.auto')}
          {...field('population')}
        />
        <TextField label={t('plan.seed')} hint={t('plan.seed.hint')} {...field('seed')} />
        <TextField label={t('plan.cap')} hint={t('plan.cap.hint')} unit={t('plan.cap.unit')} {...field('cap')} />
      </div>
      <CheckField
        label={t('plan.fuse')}
        hint={t('plan.fuse.hint')}
        checked={form.fuse}
        onChange={(fuse) => onChange({ ...form, fuse })}
      />
    </fieldset>
  )
}

/** `pool`: the one that is chosen at first; the newest by default. */
export function PlanDialog({ model, pool: wanted, onClose }: { model: Model; pool?: string | undefined; onClose: () => void }) {
  const t = useT()
  const navigate = useNavigate()
  const start = useStartSearch()
  const pools = usePools()
  const [form, setForm] = useState(DEFAULT_PLAN_FORM)
  const [picked, setPicked] = useState<string | null>(null)
  const [binding, setBinding] = useState('')
  const ownPool = model.kind === 'tables'
  const known = pools.data?.results ?? []
  const pool = picked ?? known.find((one) => one.id === wanted)?.id ?? known[0]?.id ?? null
  const objectives = useObjectives()
  const units = Object.fromEntries((objectives.data ?? []).map(({ key, unit }) => [key, unit]))
  const { settings, wrong } = readPlanForm(form, units)

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (wrong.length > 0 || start.isPending || (!ownPool && pool === null)) return
    const about = binding === '' ? { model: model.id, settings } : { model: model.id, binding, settings }
    const body = ownPool || pool === null ? about : { ...about, pool }
    start.mutate(body, {
      onSuccess: (search) => void navigate({ to: '/searches/$id', params: { id: search.id } }),
    })
  }

  return (
    <Dialog open onClose={onClose} title={t('plan.title', { name: model.name })}>
      <form onSubmit={submit} noValidate>
        <div className="dbody stack">
          {ownPool ? <p className="small s2">{t('plan.pool.own')}</p> : <PoolChoice chosen={pool} onChoose={setPicked} />}
          {model.bindings.length > 0 && (
            <SelectField label={t('plan.binding')} hint={t('plan.binding.hint')} value={binding} onChange={setBinding}>
              <option value="">{t('plan.binding.shown', { dims: dimsText(model.dims) || t('model.bindings.asInFile') })}</option>
              {model.bindings.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </SelectField>
          )}
          <GoalFields form={form} wrong={wrong} onChange={setForm} />
          <Settings form={form} wrong={wrong} onChange={setForm} />
          {start.error && <ErrorBanner error={start.error} />}
        </div>
        <div className="dfoot">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="act" type="submit" icon="play" busy={start.isPending} disabledReason={!ownPool && pool === null ? t('plan.pool.none') : null}>
            {t('plan.start')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
