// Asks before a model is deleted.
import { useDeleteModel } from '../../api/mutations'
import type { Model } from '../../api/types'
import { toast } from '../../components/announce'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { useT } from '../../i18n'

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
      {t('model.delete.text')}
    </ConfirmDialog>
  )
}
