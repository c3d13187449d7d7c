// The title of the browser tab.
import { useEffect } from 'react'

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · HeteroOpt` : 'HeteroOpt'
  }, [title])
}
