// The title of the browser tab; a change of page is also said to screen readers.
import { useEffect } from 'react'

import { announce } from '../components/announce'

let first = true

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · HeteroOpt` : 'HeteroOpt'
    if (title && !first) announce(title)
    if (title) first = false
  }, [title])
}
