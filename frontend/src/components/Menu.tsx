// A menu that opens from a button: actions, links and single choices.
import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

import { Icon, type IconName } from './icons'

export function Menu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export interface MenuItemProps {
  icon?: IconName
  bad?: boolean
  onSelect?: () => void
  /** A single element (a link) that becomes the item itself. */
  asChild?: ReactElement
  children?: ReactNode
}

export function MenuItem({ icon, bad = false, onSelect, asChild, children }: MenuItemProps) {
  const className = bad ? 'item bad' : 'item'
  if (asChild) {
    return (
      <Radix.Item className={className} asChild onSelect={onSelect}>
        {asChild}
      </Radix.Item>
    )
  }
  return (
    <Radix.Item className={className} onSelect={onSelect}>
      {icon && (
        <span className="mk">
          <Icon name={icon} />
        </span>
      )}
      {children}
    </Radix.Item>
  )
}

export interface MenuChoiceProps<V extends string> {
  label: string
  value: V
  options: readonly { value: V; label: string }[]
  onChange: (value: V) => void
}

export function MenuChoice<V extends string>({ label, value, options, onChange }: MenuChoiceProps<V>) {
  return (
    <Radix.RadioGroup value={value} onValueChange={(next) => onChange(next as V)} aria-label={label}>
      <Radix.Label className="say">{label}</Radix.Label>
      {options.map((option) => (
        <Radix.RadioItem className="item" key={option.value} value={option.value}>
          <span className="mk">
            <Radix.ItemIndicator>
              <Icon name="check" />
            </Radix.ItemIndicator>
          </span>
          {option.label}
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuLine() {
  return <Radix.Separator className="line" />
}
