// Gives a model another name.
import { useState, type SubmitEvent } from 'react'

import { useRenameModel } from '../../api/mutations'
import type { Model } from '../../api/types'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { Dialog } from '../../components/Dialog'
import { TextField } from '../../components/Field'
import { useT } from '../../i18n'

export function RenameModelDialog({ model, onClose }: { model: Model; onClose: () => void }) {
  const t = useT()
  const rename = useRenameModel(model.id)
  const [name, setName] = useState(model.name)
  const why = name.trim() === '' ? t('model.rename.empty') : null
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (why === null && !rename.isPending) rename.mutate(name.trim(), { onSuccess: onClose })
  }
  return (
    <Dialog open onClose={onClose} title={t('model.rename')}>
      <form onSubmit={submit} noValidate>
        <div className="dbody stack">
          <TextField label={t('models.name')} value={name} maxLength={200} onChange={setName} />
          {rename.error && <ErrorBanner error={rename.error} />}
        </div>
        <div className="dfoot">
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="act" type="submit" busy={rename.isPending} disabledReason={why}>
            {t('model.rename')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
