// Readings of a model that are kept under names, such as batch 1 and batch 32; one of them is shown.
import { useState, type SubmitEvent } from 'react'

import { useChooseBinding, useDeleteBinding, useKeepBinding } from '../../api/mutations'
import type { Binding, Model } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { toast } from '../../components/announce'
import { Button } from '../../components/Button'
import { TextField } from '../../components/Field'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

/** Sizes of dimensions as a text: `batch=1, seq=128`. */
export function dimsText(dims: Record<string, number>): string {
  return Object.entries(dims)
    .map(([name, size]) => `${name}=${size}`)
    .join(', ')
}

function Kept({ binding, busy, editable, onUse, onDelete }: { binding: Binding; busy: boolean; editable: boolean; onUse: () => void; onDelete: () => void }) {
  const t = useT()
  const formats = useFormats()
  const why = editable ? null : t('forbidden.viewer')
  return (
    <li className="row wrap">
      <div className="grow">
        <b className="strong">{binding.name}</b> {binding.is_used && <span className="s3 small">{t('model.bindings.used')}</span>}
        <div className="small s3">
          {[dimsText(binding.dims), formats.flops(binding.flops)].filter(Boolean).join(' · ')}
        </div>
      </div>
      {!binding.is_used && (
        <Button size="s" busy={busy} disabledReason={why} aria-label={t('model.bindings.useOne', { name: binding.name })} onClick={onUse}>
          {t('model.bindings.use')}
        </Button>
      )}
      <Button
        size="s"
        kind="quiet"
        icon="x"
        disabledReason={why}
        aria-label={t('model.bindings.delete', { name: binding.name })}
        onClick={onDelete}
      />
    </li>
  )
}

export function Bindings({ model, editable }: { model: Model; editable: boolean }) {
  const t = useT()
  const keep = useKeepBinding(model.id)
  const choose = useChooseBinding(model.id)
  const remove = useDeleteBinding(model.id)
  const [name, setName] = useState('')
  const error = keep.error ?? choose.error ?? remove.error

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    keep.mutate(name.trim(), {
      onSuccess: () => {
        setName('')
        toast(t('model.bindings.kept'))
      },
    })
  }

  return (
    <section className="sheet" aria-labelledby="bindings-title">
      <div className="head">
        <h2 id="bindings-title">{t('model.bindings')}</h2>
      </div>
      <div className="body stack">
        {model.bindings.length === 0 ? (
          <p className="small s2">{t('model.bindings.none')}</p>
        ) : (
          <ul className="notes">
            {model.bindings.map((binding) => (
              <Kept
                key={binding.id}
                binding={binding}
                busy={choose.isPending}
                editable={editable}
                onUse={() => choose.mutate(binding.id)}
                onDelete={() => remove.mutate(binding.id)}
              />
            ))}
          </ul>
        )}
        {editable && (
          <form className="stack" onSubmit={submit} noValidate>
            <TextField
              label={t('model.bindings.name')}
              placeholder={dimsText(model.dims)}
              maxLength={100}
              value={name}
              onChange={setName}
            />
            <Button type="submit" busy={keep.isPending}>
              {t('model.bindings.keep')}
            </Button>
          </form>
        )}
        {error && <ErrorBanner error={error} />}
      </div>
    </section>
  )
}
