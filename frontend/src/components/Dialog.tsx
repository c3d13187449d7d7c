// A modal dialog: focus is kept inside, Escape closes it, focus returns to where it was.
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

import { useT } from '../i18n'
import { Icon } from './icons'

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: ReactNode
  wide?: boolean
  /** The content; put it in `.dbody` and actions in `.dfoot`. */
  children: ReactNode
}

export function Dialog({ open, onClose, title, wide = false, children }: DialogProps) {
  const t = useT()
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="veil" />
        <Radix.Content className={wide ? 'dialog wide' : 'dialog'} aria-describedby={undefined}>
          <div className="dhead">
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            <span className="grow" />
            <Radix.Close className="btn quiet icon" aria-label={t('common.close')}>
              <Icon name="x" />
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
