// Nothing is blank: empty, loading and failed states that keep the real layout.
import type { ReactNode } from 'react'

import { useT } from '../i18n'
import { Button } from './Button'
import { ErrorBanner } from './Banner'

export interface EmptyProps {
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
  foot?: ReactNode
  inSheet?: boolean
}

export function Empty({ title, children, actions, foot, inSheet = false }: EmptyProps) {
  return (
    <section className={inSheet ? 'void in-sheet' : 'void'}>
      {!inSheet ? <h1>{title}</h1> : children || actions ? <h3>{title}</h3> : <p className="s2">{title}</p>}
      {children}
      {actions && <div className="row wrap">{actions}</div>}
      {foot && <div className="small s3 mt">{foot}</div>}
    </section>
  )
}

/** Rows of a table that is loading: they keep the height of real ones. */
export function BoneRows({ rows, columns }: { rows: number; columns: number }) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden="true">
      {Array.from({ length: columns }, (_, column) => (
        <td key={column}>
          <span className="bone" style={{ width: `${45 + ((row * 31 + column * 17) % 45)}%` }} />
        </td>
      ))}
    </tr>
  ))
}

export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const t = useT()
  return (
    <ErrorBanner
      error={error}
      actions={
        <Button size="s" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      }
    />
  )
}
