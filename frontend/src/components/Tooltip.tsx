// A short hint on hover or focus after 300 ms; none on touch.
import { Tooltip as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement }) {
  return (
    <Radix.Root delayDuration={300}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tip" sideOffset={6} collisionPadding={8}>
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export const TooltipProvider = Radix.Provider
