// Asks before a pool is deleted.
import { useDeletePool } from '../../api/mutations'
import type { Pool } from '../../api/types'
import { toast } from '../../components/announce'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { useT } from '../../i18n'

export interface DeletePoolDialogProps {
  pool: Pool | null
  onClose: () => void
  onDeleted?: () => void
}

export function DeletePoolDialog({ pool, onClose, onDeleted }: DeletePoolDialogProps) {
  const t = useT()
  const remove = useDeletePool()
  const confirm = () => {
    if (!pool) return
    remove.mutate(pool.id, {
      onSuccess: () => {
        toast(t('pool.deleted', { name: pool.name }))
        onClose()
        onDeleted?.()
      },
    })
  }
  return (
    <ConfirmDialog
      open={pool !== null}
      title={t('pool.delete.ask', { name: pool?.name ?? '' })}
      action={t('pool.delete')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      {t('pool.delete.text')}
    </ConfirmDialog>
  )
}
