/** The front that lies under the one on the page: that of the search which this one started from, or another. */
import { useMemo } from 'react'

import { useFront, useSearch } from '../../api/queries'
import { type Table, tableOf } from '../logic/measures'
import type { Front, Search } from '../types'

export interface Earlier {
  readonly search: Pick<Search, 'id' | 'number'>
  readonly front: Front
  readonly table: Table
  /** Of a generation of this search, which is replayed. */
  readonly generation?: number
  /** What the axes cover while it is: every generation. */
  readonly whole?: Table
}

/** Id of the search that is drawn underneath, shown or not; null when there is none. */
export function earlierId(search: Search, over: string | null): string | null {
  const asked = over === null || over === 'none' ? (search.warm_start?.id ?? null) : over
  return asked && asked !== search.id ? asked : null
}

/** Null until it is read, or when there is none, or when it belongs to another model. */
export function useEarlier(search: Search, over: string | null): Earlier | null {
  const id = earlierId(search, over)
  const earlier = useSearch(id ?? '', id !== null).data
  const read = useFront(id ?? '', id === null ? undefined : earlier?.front_revision)
  // While the next one loads, the query still holds the front of another search.
  const front = read.isPlaceholderData ? undefined : read.data
  return useMemo(
    () =>
      id !== null && earlier && front && earlier.id === id && earlier.model.id === search.model.id
        ? { search: { id, number: earlier.number }, front, table: tableOf(front) }
        : null,
    [id, earlier, front, search.model.id],
  )
}
