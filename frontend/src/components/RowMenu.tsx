// The menu at the end of a table's row: links, and deleting where the reader may.
import type { ReactElement } from 'react'

import { Button } from './Button'
import { Menu, MenuItem, MenuLine } from './Menu'

export interface RowMenuProps {
  label: string
  /** Links, each with a key. */
  links?: readonly ReactElement[]
  remove: { label: string; onSelect: () => void } | null
}

export function RowMenu({ label, links = [], remove }: RowMenuProps) {
  if (links.length === 0 && !remove) return null
  return (
    <Menu trigger={<Button kind="quiet" size="s" icon="more" aria-label={label} />}>
      {links.map((link) => (
        <MenuItem key={link.key} asChild={link} />
      ))}
      {remove && links.length > 0 && <MenuLine />}
      {remove && (
        <MenuItem icon="trash" bad onSelect={remove.onSelect}>
          {remove.label}
        </MenuItem>
      )}
    </Menu>
  )
}
