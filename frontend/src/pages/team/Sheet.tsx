// One part of the team page: its head with an action, and its content.
import type { ReactNode } from 'react'

export interface SheetProps {
  id: string
  title: string
  text?: string
  action?: ReactNode
  children: ReactNode
}

export function Sheet({ id, title, text, action, children }: SheetProps) {
  return (
    <section className="sheet" id={id} aria-labelledby={`${id}-title`}>
      <div className="head">
        <h2 id={`${id}-title`}>{title}</h2>
        {action && <span className="r">{action}</span>}
      </div>
      {text && <p className="small s3 side-text read">{text}</p>}
      {children}
    </section>
  )
}
