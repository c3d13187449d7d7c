// Why something cannot be used, and what to do: in the reader's language, with the vendor's own words where it has any.
import { errorText } from '../../api/errors'
import type { ApiErrorBody } from '../../api/types'
import { useLang, useT } from '../../i18n'

export function Reason({ reason }: { reason: ApiErrorBody | null }) {
  const lang = useLang()
  const t = useT()
  if (!reason) return null
  const { title, hint } = errorText(reason, lang)
  const output = reason.params.output
  return (
    <div className="hw-reason small">
      <span>{title}</span> {hint && <span className="s2">{hint}</span>}
      {typeof output === 'string' && output.trim() !== '' && (
        <details>
          <summary>{t('hardware.output')}</summary>
          <pre>{output.trim()}</pre>
        </details>
      )}
    </div>
  )
}
