// The frame of every page: bar, content and notices; asks for sign-in when there is no session.
import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

import { useSession } from '../api/queries'
import { Notices } from '../components/announce'
import { LoadFailed } from '../components/states'
import { TooltipProvider } from '../components/Tooltip'
import { SignInNeeded } from '../pages/SignInNeeded'
import { Frame } from './bar'
import { DropZone } from './DropZone'
import { preloadErrorTexts } from './preload'

function Gate() {
  const session = useSession()
  const invited = useRouterState({ select: (state) => state.location.pathname.startsWith('/invite/') })
  if (session.data) {
    return invited || (session.data.user && session.data.team) ? <Outlet /> : <SignInNeeded onRetry={() => void session.refetch()} />
  }
  return (
    <main className="page" id="main" tabIndex={-1} aria-busy={session.isPending}>
      {session.error && <LoadFailed error={session.error} onRetry={() => void session.refetch()} />}
    </main>
  )
}

export function Root() {
  useEffect(preloadErrorTexts, [])
  return (
    <TooltipProvider>
      <Frame>
        <Gate />
      </Frame>
      <DropZone />
      <Notices />
    </TooltipProvider>
  )
}
