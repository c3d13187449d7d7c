// The head of the three pages about hardware: title, tabs, actions.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import { useTitle } from '../../app/title'
import { useT } from '../../i18n'

const TABS = [
  { to: '/hardware', key: 'hardware.devices' },
  { to: '/hardware/operators', key: 'hardware.operators' },
  { to: '/hardware/precision', key: 'hardware.precision' },
] as const

export type HardwareTab = (typeof TABS)[number]['key']

export function HardwareHead({ tab, actions }: { tab: HardwareTab; actions?: ReactNode }) {
  const t = useT()
  useTitle(`${t(tab)} · ${t('hardware.title')}`)
  return (
    <div className="pagehead hw-head">
      <div>
        <h1>{t('hardware.title')}</h1>
        <nav className="hw-tabs" aria-label={t('hardware.title')}>
          {TABS.map(({ to, key }) => (
            <Link key={to} to={to} activeOptions={{ exact: true }} aria-current={key === tab ? 'page' : undefined}>
              {t(key)}
            </Link>
          ))}
        </nav>
      </div>
      {actions && <div className="r">{actions}</div>}
    </div>
  )
}
