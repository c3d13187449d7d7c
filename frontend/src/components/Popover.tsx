// A small panel of controls that opens from a button; Escape closes it and gives the focus back.
import { Popover as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

export function Popover({ trigger, label, children }: { trigger: ReactElement; label: string; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="popover" align="end" sideOffset={4} collisionPadding={8} aria-label={label}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
