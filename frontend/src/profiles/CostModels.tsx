// What learns from measurements here; plugins that cannot be used, with the reason.
import { useQuery } from '@tanstack/react-query'

import { api, unwrap } from '../api/client'
import { useT } from '../i18n'

export function CostModels() {
  const t = useT()
  const found = useQuery({
    queryKey: ['cost-models'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/cost-models/', { signal })),
    staleTime: Infinity,
  })
  const rows = found.data ?? []
  const usable = rows.filter((row) => row.code === '')
  const failed = rows.filter((row) => row.code !== '')
  if (rows.length === 0) return null
  return (
    <div className="body small s2">
      <p>{t('profile.models', { names: usable.map((row) => row.name).join(', ') })}</p>
      {failed.map((row) => (
        <p key={`${row.name} ${row.origin}`} className="wrong">
          {t('profile.models.failed', { name: row.name, message: row.message })}
        </p>
      ))}
    </div>
  )
}
