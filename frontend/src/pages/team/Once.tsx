// Something secret that is shown this once, to be copied.
import { useState } from 'react'

import { Button } from '../../components/Button'
import { useT } from '../../i18n'

export function Once({ label, value }: { label: string; value: string }) {
  const t = useT()
  const [copied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return (
    <div className="once">
      <label className="field">
        <span className="lab">{label}</span>
        <input className="in m mono" readOnly value={value} onFocus={(event) => event.target.select()} />
      </label>
      <Button icon="copy" onClick={() => void copy()}>
        {copied ? t('team.copied') : t('team.copy')}
      </Button>
      <p className="small s3">{t('team.once')}</p>
    </div>
  )
}
