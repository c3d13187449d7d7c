/** What the parts of the explorer share: the model, the state and the ways to change it. */
import { createContext, useContext, useSyncExternalStore } from 'react'

import type { Lang } from '../../i18n'
import type { ExplorerState } from '../logic/address'
import type { Model } from '../logic/model'
import type { Search } from '../types'
import type { Earlier } from './earlier'
import type { HoverStore } from './hover'

export interface Explorer {
  readonly search: Search
  readonly model: Model
  readonly state: ExplorerState
  /** The front that is drawn under this one, when there is one and it is switched on. */
  readonly earlier: Earlier | null
  /** True while the search can still change the front. */
  readonly live: boolean
  /** The search has plans that are not here: on their way, or they could not be read; null: they are here. */
  readonly unread: 'reading' | 'failed' | null
  readonly lang: Lang
  readonly hover: HoverStore
  readonly update: (patch: Partial<ExplorerState>, how?: 'now' | 'gesture') => void
  /** Choose the plan at this position by hand. */
  readonly setA: (index: number) => void
  readonly setB: (index: number) => void
  readonly undo: () => void
}

export const ExplorerContext = createContext<Explorer | null>(null)

export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext)
  if (!explorer) throw new Error('useExplorer outside of the explorer')
  return explorer
}

/** Position of the plan under the pointer, in any view; -1 for none. */
export function useHovered(): number {
  const { hover } = useExplorer()
  return useSyncExternalStore(hover.subscribe, hover.get)
}

/** Whether the pointer is on this plan: what asks is rendered again only when that changes. */
export function useIsHovered(index: number): boolean {
  const { hover } = useExplorer()
  return useSyncExternalStore(hover.subscribe, () => hover.get() === index)
}
