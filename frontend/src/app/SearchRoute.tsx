// The address of a search, handed to the explorer.
import { useParams } from '@tanstack/react-router'

import ExplorerPage from '../explorer/ExplorerPage'

export function SearchRoute() {
  const { id } = useParams({ from: '/searches/$id' })
  return <ExplorerPage key={id} searchId={id} />
}
