// The application bar: logo, navigation or breadcrumbs, the page's own actions, language, theme, account.
import { Link, useRouterState } from '@tanstack/react-router'
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { createPortal } from 'react-dom'

import { useSession } from '../api/queries'
import { Logo } from '../components/icons'
import { useT } from '../i18n'
import { BarTools } from './BarTools'
import { Bell } from './Bell'

interface BarSlots {
  crumbs: HTMLElement | null
  actions: HTMLElement | null
  setCrumbed: (crumbed: boolean) => void
}

const Slots = createContext<BarSlots>({ crumbs: null, actions: null, setCrumbed: () => undefined })

export interface Crumb {
  label: ReactNode
  /** An address inside the application; the last crumb has none. */
  to?: string
}

/** Puts breadcrumbs (instead of the navigation) and actions into the bar while the calling page is shown. */
export function BarContent({ crumbs, actions }: { crumbs?: readonly Crumb[]; actions?: ReactNode }) {
  const t = useT()
  const slots = useContext(Slots)
  const crumbed = crumbs !== undefined
  const { setCrumbed } = slots
  useEffect(() => {
    setCrumbed(crumbed)
    return () => setCrumbed(false)
  }, [crumbed, setCrumbed])
  return (
    <>
      {slots.crumbs &&
        crumbs &&
        createPortal(
          <nav className="crumb" aria-label={t('shell.crumbs')}>
            {crumbs.map((crumb, index) =>
              crumb.to ? (
                <Link key={index} to={crumb.to}>
                  {crumb.label}
                </Link>
              ) : (
                <b key={index}>{crumb.label}</b>
              ),
            )}
          </nav>,
          slots.crumbs,
        )}
      {slots.actions && actions && createPortal(actions, slots.actions)}
    </>
  )
}

const PLACES = [
  { to: '/', key: 'shell.home' },
  { to: '/models', key: 'shell.models' },
  { to: '/pools', key: 'shell.pools' },
  { to: '/reviews', key: 'reviews.title' },
  { to: '/training', key: 'training.title' },
  { to: '/hardware', key: 'hardware.title' },
] as const

function Navigation() {
  const t = useT()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const { data: session } = useSession()
  if (!session?.user) return null
  return (
    <nav className="nav" aria-label={t('shell.nav')}>
      {PLACES.map(({ to, key }) => {
        const here = to === '/' ? path === '/' : path.startsWith(to)
        return (
          <Link key={to} to={to} aria-current={here ? 'page' : undefined}>
            {t(key)}
          </Link>
        )
      })}
    </nav>
  )
}

/** The bar and the page under it. */
export function Frame({ children }: { children: ReactNode }) {
  const t = useT()
  const [crumbs, setCrumbs] = useState<HTMLElement | null>(null)
  const [actions, setActions] = useState<HTMLElement | null>(null)
  const [crumbed, setCrumbed] = useState(false)
  const slots = useMemo(() => ({ crumbs, actions, setCrumbed }), [crumbs, actions])
  return (
    <Slots value={slots}>
      <a className="skip" href="#main">
        {t('shell.skip')}
      </a>
      <header className="bar">
        <Link className="mark" to="/" aria-label="HeteroOpt">
          <Logo />
          <span className="hide-s">HeteroOpt</span>
        </Link>
        {!crumbed && <Navigation />}
        {crumbed && <span className="sep" />}
        <div className="slot" ref={setCrumbs} />
        <span className="grow" />
        <div className="slot" ref={setActions} style={{ flex: 'none' }} />
        <Bell />
        <BarTools />
      </header>
      {children}
    </Slots>
  )
}
