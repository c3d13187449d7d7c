// Renders the explorer, or one part of it, around a small search without a server.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, render } from '@testing-library/react'
import { useSyncExternalStore } from 'react'
import { vi } from 'vitest'

import { TooltipProvider } from '../../components/Tooltip'
import { Notices } from '../../components/announce'
import { Explorer } from '../Explorer'
import type { Front, Search } from '../types'
import { detailOf, front as smallFront, search as smallSearch } from './fixture'

interface Options {
  readonly front?: Front
  readonly search?: Partial<Search>
  readonly query?: string
  /** The front is on its way, or could not be read. */
  readonly waiting?: boolean
  readonly error?: unknown
  /** Plans in full are not there yet; reads are tried so often again. */
  readonly unread?: number
  readonly permissions?: readonly string[]
  /** A search whose front is read already. */
  readonly earlier?: { readonly search: Search; readonly front: Front }
}

/** A screen of 1,440 x 900; charts have no size in jsdom and stay empty. */
export function stubScreen(): void {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: /min-width: (1280|900)px/.test(query) && !query.includes('max-width'),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))
}

export async function renderExplorer({ front = smallFront, search = {}, query = '', permissions = ['view'], earlier, waiting = false, error = null, unread }: Options = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: unread ?? false, staleTime: Infinity } } })
  const whole = { ...smallSearch, ...search }
  if (unread === undefined) for (const plan of front.plans) client.setQueryData(['plan', whole.id, 'hash', plan.hash], detailOf(plan))
  client.setQueryData(['session'], { team: { role: 'owner' }, permissions })
  if (earlier) {
    client.setQueryData(['search', earlier.search.id], earlier.search)
    client.setQueryData(['front', earlier.search.id, earlier.search.front_revision], earlier.front)
  }
  const history = createMemoryHistory({ initialEntries: [`/searches/x${query}`] })
  let shown = front
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const root = createRootRoute()
  const page = createRoute({
    getParentRoute: () => root,
    path: '/searches/$id',
    component: function Page() {
      const now = useSyncExternalStore(subscribe, () => shown)
      return <Explorer search={whole} front={now} waiting={waiting} error={error} onRetry={() => undefined} connection="idle" />
    },
  })
  const router = createRouter({ routeTree: root.addChildren([page]), history })
  await router.load()
  const view = render(
    <QueryClientProvider client={client}>
      <TooltipProvider>
        <RouterProvider router={router as never} />
        <Notices />
      </TooltipProvider>
    </QueryClientProvider>,
  )
  return {
    ...view,
    history,
    /** As when a newer front arrives from the server. */
    replaceFront: (next: Front) => {
      shown = next
      act(() => listeners.forEach((listener) => listener()))
    },
  }
}
