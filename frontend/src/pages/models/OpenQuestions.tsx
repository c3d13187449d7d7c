// What the file leaves open, how it is counted meanwhile, and a form to answer it: shapes, loops, branches, costs.
import { useState, type ReactNode, type SubmitEvent } from 'react'

import { useBindDims } from '../../api/mutations'
import type { Model, Questions } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { toast } from '../../components/announce'
import { Button } from '../../components/Button'
import { TextField } from '../../components/Field'
import { useFormats } from '../../format/numbers'
import { translateCode, useLang, useT } from '../../i18n'
import { openForm, readOpenForm, type CostTexts, type OpenForm, type WrongField } from './openForm'

export function hasQuestions(questions: Questions): boolean {
  return [questions.shapes, questions.trips, questions.branches, questions.operators].some((list) => list.length > 0)
}

interface PartProps {
  questions: Questions
  form: OpenForm
  readOnly: boolean
  wrong: (field: WrongField) => boolean
  onChange: (form: OpenForm) => void
}

function Part({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <fieldset className="stack">
      <legend className="lab">{title}</legend>
      <p className="small s3">{hint}</p>
      <div className="open-fields">{children}</div>
    </fieldset>
  )
}

function Shapes({ questions, form, readOnly, wrong, onChange }: PartProps) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  return (
    <Part title={t('model.open.shapes')} hint={t('model.open.shapes.hint')}>
      {questions.shapes.map((one) => (
        <TextField
          key={one.tensor}
          label={<span className="mono">{one.tensor}</span>}
          hint={
            one.shape
              ? null
              : `${one.op_type} · ${t('model.open.countedAs', { size: formats.bytes(one.size_bytes) })} · ${translateCode('reason', one.reason, {}, one.reason, lang)}`
          }
          placeholder="1 x 3 x 224 x 224"
          readOnly={readOnly}
          value={form.shapes[one.tensor] ?? ''}
          error={wrong(`shapes:${one.tensor}`) ? t('model.open.shapes.invalid') : null}
          onChange={(value) => onChange({ ...form, shapes: { ...form.shapes, [one.tensor]: value } })}
        />
      ))}
    </Part>
  )
}

function Trips({ questions, form, readOnly, wrong, onChange }: PartProps) {
  const t = useT()
  return (
    <Part title={t('model.open.trips')} hint={t('model.open.trips.hint')}>
      {questions.trips.map((one) => (
        <TextField
          key={one.operator}
          label={<span className="mono">{one.operator}</span>}
          hint={one.is_given ? null : t(one.is_bound ? 'model.open.trips.bound' : 'model.open.trips.assumed', { n: one.assumed })}
          numeric
          placeholder={String(one.assumed)}
          readOnly={readOnly}
          value={form.trips[one.operator] ?? ''}
          error={wrong(`trips:${one.operator}`) ? t('model.open.trips.invalid') : null}
          onChange={(value) => onChange({ ...form, trips: { ...form.trips, [one.operator]: value } })}
        />
      ))}
    </Part>
  )
}

function Branches({ questions, form, readOnly, wrong, onChange }: PartProps) {
  const t = useT()
  return (
    <Part title={t('model.open.branches')} hint={t('model.open.branches.hint')}>
      {questions.branches.map((one) => (
        <TextField
          key={one.operator}
          label={<span className="mono">{one.operator}</span>}
          numeric
          placeholder={t('model.open.branches.larger')}
          readOnly={readOnly}
          value={form.branches[one.operator] ?? ''}
          error={wrong(`branches:${one.operator}`) ? t('model.open.branches.invalid') : null}
          onChange={(value) => onChange({ ...form, branches: { ...form.branches, [one.operator]: value } })}
        />
      ))}
    </Part>
  )
}

const AMOUNTS: readonly (keyof CostTexts)[] = ['flops', 'read', 'written']
const NO_COST: CostTexts = { flops: '', read: '', written: '' }

function Costs({ questions, form, readOnly, wrong, onChange }: PartProps) {
  const t = useT()
  return (
    <Part title={t('model.open.costs')} hint={t('model.open.costs.hint')}>
      {questions.operators.map((one) => {
        const texts = form.costs[one.key] ?? NO_COST
        return (
          <fieldset key={one.key}>
            <legend className="small">
              <b className="mono">{one.key}</b>{' '}
              <span className="s3" title={one.operators.join(', ')}>
                {t('model.nOperators', { n: one.count })}
              </span>
            </legend>
            <div className="open-costs">
              {AMOUNTS.map((amount) => (
                <TextField
                  key={amount}
                  label={t(`model.open.costs.${amount}`)}
                  numeric
                  readOnly={readOnly}
                  value={texts[amount]}
                  onChange={(value) => onChange({ ...form, costs: { ...form.costs, [one.key]: { ...texts, [amount]: value } } })}
                />
              ))}
            </div>
            {wrong(`costs:${one.key}`) && <p className="wrong">{t('model.open.costs.invalid')}</p>}
          </fieldset>
        )
      })}
    </Part>
  )
}

export function OpenQuestions({ model, questions, editable }: { model: Model; questions: Questions; editable: boolean }) {
  const t = useT()
  const bind = useBindDims(model.id)
  const [form, setForm] = useState(() => openForm(questions, model.given))
  const [asked, setAsked] = useState(false)
  const { given, wrong } = readOpenForm(form, model.given)
  const shared: PartProps = {
    questions,
    form,
    readOnly: !editable,
    wrong: (field) => asked && wrong.includes(field),
    onChange: setForm,
  }

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setAsked(true)
    if (wrong.length > 0 || bind.isPending) return
    bind.mutate({ dims: model.dims, given }, { onSuccess: () => toast(t('model.dims.bound')) })
  }

  return (
    <section className="sheet mt" aria-labelledby="open-title">
      <div className="head">
        <h2 id="open-title">{t('model.open.title')}</h2>
      </div>
      <form className="body stack" onSubmit={submit} noValidate>
        <p className="small s2">{t('model.open.text')}</p>
        {model.error && <ErrorBanner error={model.error} />}
        {questions.shapes.length > 0 && <Shapes {...shared} />}
        {questions.trips.length > 0 && <Trips {...shared} />}
        {questions.branches.length > 0 && <Branches {...shared} />}
        {questions.operators.length > 0 && <Costs {...shared} />}
        {bind.error && <ErrorBanner error={bind.error} />}
        <Button type="submit" busy={bind.isPending} disabledReason={editable ? null : t('forbidden.viewer')}>
          {t('model.open.apply')}
        </Button>
      </form>
    </section>
  )
}
