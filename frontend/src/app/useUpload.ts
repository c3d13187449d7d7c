// Sends files and opens what a single one became.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

import { sendFile } from './uploads'

export function useUpload(): (files: Iterable<File>) => void {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useCallback(
    (files) => {
      const all = [...files]
      void Promise.all(all.map((file) => sendFile(file, client))).then(async ([made]) => {
        if (all.length !== 1 || !made) return
        if (made.kind === 'pool') await navigate({ to: '/pools/$id', params: { id: made.id } })
        else await navigate({ to: '/models/$id', params: { id: made.id } })
      })
    },
    [client, navigate],
  )
}
