/** The explorer's state bound to the router's history. */
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'

import type { ExplorerState } from '../logic/address'
import { type AddressHistory, AddressStore } from './address-store'

export function useAddress(): { state: ExplorerState; store: AddressStore } {
  const router = useRouter()
  const [store] = useState(() => {
    const { history } = router
    const bound: AddressHistory = {
      read: () => history.location.search,
      push: (query) => history.push(`${history.location.pathname}${query ? `?${query}` : ''}`),
      back: () => history.back(),
      listen: (listener) =>
        history.subscribe(({ action }) => {
          if (action.type === 'BACK' || action.type === 'FORWARD' || action.type === 'GO') listener()
        }),
    }
    return new AddressStore(bound)
  })
  useEffect(() => store.attach(), [store])
  const state = useSyncExternalStore(store.subscribe, store.get)
  return { state, store }
}
