// Uploads of the same model: which content came when, and which of them this page shows.
import { Link } from '@tanstack/react-router'

import { useModelVersions } from '../../api/queries'
import type { Model } from '../../api/types'
import { LoadFailed } from '../../components/states'
import { useFormats } from '../../format/numbers'
import { useT } from '../../i18n'

export function Versions({ model }: { model: Model }) {
  const t = useT()
  const formats = useFormats()
  const versions = useModelVersions(model.id)
  const rows = versions.data ?? []
  if (versions.error && !versions.data) return <LoadFailed error={versions.error} onRetry={() => void versions.refetch()} />
  if (rows.length < 2 && model.files.length === 0) return null
  return (
    <section className="sheet">
      <div className="head">
        <h2>{t('model.versions')}</h2>
      </div>
      <ul className="io">
        {rows.map((row) => (
          <li key={row.id} aria-current={row.id === model.id ? 'true' : undefined}>
            <span className={row.id === model.id ? 'strong' : 's3'}>{t('model.version', { number: row.version })}</span>
            <span className="cut">
              {row.id === model.id ? (
                t('model.version.this')
              ) : (
                <Link to="/models/$id" params={{ id: row.id }}>
                  {row.name}
                </Link>
              )}{' '}
              <span className="mono s3" title={row.content_hash}>
                {row.content_hash.slice(0, 8)}
              </span>
            </span>
            <span className="of s2">{formats.dateTime(row.created_at)}</span>
          </li>
        ))}
      </ul>
      {model.files.length > 0 && (
        <>
          <div className="head">
            <h2>{t('model.files')}</h2>
          </div>
          <ul className="io">
            {model.files.map((file) => (
              <li key={file.name}>
                <span className="s3">{t(file.is_main ? 'model.files.main' : 'model.files.data')}</span>
                <span className="cut" title={file.name}>
                  {file.name}
                </span>
                <span className="of s2">{formats.bytes(file.size_bytes)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
