// Asks before a model is deleted, and shows what depends on it.
import { errorText } from '../../api/errors'
import { useDeleteModel } from '../../api/mutations'
import { useModelUses } from '../../api/queries'
import type { Model } from '../../api/types'
import { toast } from '../../components/announce'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { usePoolName } from '../../format/poolName'
import { useLang, useT } from '../../i18n'

const SHOWN = 5

/** What depends on the model, before it is deleted. */
function Uses({ model }: { model: Model }) {
  const t = useT()
  const lang = useLang()
  const poolName = usePoolName()
  const uses = useModelUses(model.id)
  if (uses.error) return <>{errorText(uses.error, lang).title}</>
  if (!uses.data) return <>{t('model.uses.counting')}</>
  const { n_searches, n_running, n_plans, searches } = uses.data
  if (n_searches === 0) return <>{t('model.uses.none')}</>
  const names = searches.slice(0, SHOWN).map((search) => t('model.uses.search', { number: search.number, pool: poolName(search.pool, search.pool_is_sample) }))
  return (
    <>
      {t('model.uses.some', { searches: n_searches, plans: n_plans })} {n_running > 0 && t('model.uses.running', { count: n_running })}
      <br />
      {names.join(t('model.uses.between'))}
      {n_searches > names.length && ' …'}
    </>
  )
}

export interface DeleteModelDialogProps {
  model: Model | null
  onClose: () => void
  onDeleted?: () => void
}

export function DeleteModelDialog({ model, onClose, onDeleted }: DeleteModelDialogProps) {
  const t = useT()
  const remove = useDeleteModel()
  const confirm = () => {
    if (!model) return
    remove.mutate(model.id, {
      onSuccess: () => {
        toast(t('model.deleted', { name: model.name }))
        onClose()
        onDeleted?.()
      },
    })
  }
  return (
    <ConfirmDialog
      open={model !== null}
      title={t('model.delete.ask', { name: model?.name ?? '' })}
      action={t('model.delete')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {t('model.delete.text')} {model && <Uses model={model} />}
    </ConfirmDialog>
  )
}
