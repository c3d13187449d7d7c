// Sends files and opens what a single model or pool became.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'

import { toast } from '../components/announce'
import { useT } from '../i18n'
import { groupFiles } from './fileGroups'
import { sendFiles } from './uploads'

export function useUpload(): (files: Iterable<File>) => void {
  const client = useQueryClient()
  const navigate = useNavigate()
  const t = useT()
  return useCallback(
    (files) => {
      const groups = groupFiles([...files])
      void Promise.all(groups.map((group) => sendFiles(group, client))).then(async (all) => {
        for (const made of all) {
          if (made?.kind === 'model' && made.alreadyThere) toast(t('upload.alreadyThere', { name: made.name }))
        }
        const [made] = all
        if (groups.length !== 1 || !made) return
        if (made.kind === 'pool') await navigate({ to: '/pools/$id', params: { id: made.id } })
        else await navigate({ to: '/models/$id', params: { id: made.id } })
      })
    },
    [client, navigate, t],
  )
}
