// Asks before something is lost; says what, and keeps the dialog open when it fails.
import type { ReactNode } from 'react'

import { useT } from '../i18n'
import { ErrorBanner } from './Banner'
import { Button } from './Button'
import { Dialog } from './Dialog'

export interface ConfirmDialogProps {
  open: boolean
  title: string
  children: ReactNode
  action: string
  busy: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmDialog({ open, title, children, action, busy, error, onConfirm, onClose }: ConfirmDialogProps) {
  const t = useT()
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="dbody stack">
        <p className="read s2">{children}</p>
        {error !== null && error !== undefined && <ErrorBanner error={error} />}
      </div>
      <div className="dfoot">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button kind="bad" busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
