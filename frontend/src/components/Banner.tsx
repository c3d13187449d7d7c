// A statement in the page: what, why, and at most two actions.
import type { ReactNode } from 'react'

import { errorText } from '../api/errors'
import { useLang } from '../i18n'

export interface BannerProps {
  tone: 'info' | 'warn' | 'bad' | 'ok'
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
  role?: 'status' | 'alert'
}

export function Banner({ tone, title, children, actions, role }: BannerProps) {
  return (
    <div className={`banner ${tone}`} role={role}>
      <div>
        <div className="t">{title}</div>
        {children && <div className="small">{children}</div>}
      </div>
      {actions && <div className="r">{actions}</div>}
    </div>
  )
}

/** Any error as a banner, translated by its code. */
export function ErrorBanner({ error, actions }: { error: unknown; actions?: ReactNode }) {
  const text = errorText(error, useLang())
  return (
    <Banner tone="bad" role="alert" title={text.title} actions={actions}>
      {text.hint || undefined}
    </Banner>
  )
}
