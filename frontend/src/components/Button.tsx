// The button in its kinds; a disabled one stays focusable and says why in a tooltip, a busy one keeps its label.
import { forwardRef, type ButtonHTMLAttributes } from 'react'

import { Icon, type IconName } from './icons'
import { Tooltip } from './Tooltip'

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  kind?: 'act' | 'plain' | 'quiet' | 'bad'
  size?: 'm' | 's'
  icon?: IconName
  busy?: boolean
  /** Why the button cannot be used now; a string disables it. */
  disabledReason?: string | null | false
}

export function buttonClass(kind: ButtonProps['kind'] = 'plain', size: ButtonProps['size'] = 'm', iconOnly = false): string {
  return ['btn', kind === 'plain' ? '' : kind, size === 's' ? 's' : '', iconOnly ? 'icon' : ''].filter(Boolean).join(' ')
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { kind, size, icon, busy = false, disabledReason, className, children, onClick, type = 'button', ...rest },
  ref,
) {
  const off = typeof disabledReason === 'string'
  const button = (
    <button
      {...rest}
      ref={ref}
      type={type}
      className={`${buttonClass(kind, size, icon !== undefined && !children)} ${className ?? ''}`}
      aria-disabled={off || busy || undefined}
      data-busy={busy || undefined}
      onClick={(event) => {
        if (off || busy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
  return off ? <Tooltip text={disabledReason}>{button}</Tooltip> : button
})
