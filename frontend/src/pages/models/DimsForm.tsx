// The dynamic dimensions of a model: a number for each, then shapes and costs are computed again.
import { useState, type SubmitEvent } from 'react'

import { useBindDims } from '../../api/mutations'
import type { DynamicDim, Model } from '../../api/types'
import { Banner, ErrorBanner } from '../../components/Banner'
import { toast } from '../../components/announce'
import { Button } from '../../components/Button'
import { TextField } from '../../components/Field'
import { useT } from '../../i18n'
import { wholeNumber } from './planSettings'

/** What the reader takes: raw sound has millions of samples. */
const LARGEST_DIM = 2 ** 31 - 1

function usedBy(dim: DynamicDim): string {
  return dim.used_by.join(', ')
}

function startValues(model: Model): Record<string, string> {
  return Object.fromEntries(model.dynamic_dims.map((dim) => [dim.name, String(model.dims[dim.name] ?? dim.default)]))
}

export function DimsForm({ model, editable, needed = false }: { model: Model; editable: boolean; needed?: boolean }) {
  const t = useT()
  const bind = useBindDims(model.id)
  const [values, setValues] = useState(() => startValues(model))
  const [asked, setAsked] = useState(false)
  const dims = model.dynamic_dims
  const numbers = dims.map((dim) => wholeNumber(values[dim.name] ?? '', 1, LARGEST_DIM))
  const valid = numbers.every((value) => value !== null)

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setAsked(true)
    if (!valid) return
    const body = Object.fromEntries(dims.map((dim, index) => [dim.name, numbers[index] ?? 1]))
    bind.mutate({ dims: body }, { onSuccess: () => toast(t('model.dims.bound')) })
  }

  return (
    <section className="sheet dims">
      <div className="head">
        <h2>{t('model.dims')}</h2>
      </div>
      <div className="body stack">
        {needed && <Banner tone="warn" title={t('model.plan.dims')}>{t('model.dims.need')}</Banner>}
        {dims.length === 0 ? (
          <p className="small s2">{t('model.dims.none')}</p>
        ) : (
          <form className="stack" onSubmit={submit} noValidate>
            {dims.map((dim, index) => (
              <TextField
                key={dim.name}
                label={
                  <>
                    <b className="strong">{dim.name}</b>{' '}
                    {usedBy(dim) && <span className="s3">{t('model.dims.usedBy', { names: usedBy(dim) })}</span>}
                  </>
                }
                numeric
                readOnly={!editable}
                value={values[dim.name] ?? ''}
                error={asked && numbers[index] === null ? t('model.dims.invalid') : null}
                onChange={(value) => setValues({ ...values, [dim.name]: value })}
              />
            ))}
            {bind.error && <ErrorBanner error={bind.error} />}
            <Button type="submit" busy={bind.isPending} disabledReason={editable ? null : t('forbidden.viewer')}>
              {t('model.dims.bind')}
            </Button>
          </form>
        )}
      </div>
    </section>
  )
}
