// A file that was refused: what, why, and what to do next.
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { errorDetail } from '../../api/errors'
import { useSession } from '../../api/queries'
import type { Model } from '../../api/types'
import { canPlan } from '../../app/permissions'
import { useUpload } from '../../app/useUpload'
import { ErrorBanner } from '../../components/Banner'
import { Button } from '../../components/Button'
import { FileButton } from '../../components/FileButton'
import { Empty } from '../../components/states'
import { useLang, useT } from '../../i18n'
import { MODEL_FILES } from '../home/HomePage'
import { DeleteModelDialog } from './DeleteModelDialog'

/** What the reader found, in the language of the page, and its own words where that is all there is. */
function Said({ error }: { error: NonNullable<Model['error']> }) {
  const t = useT()
  const lang = useLang()
  const detail = errorDetail(error.params, lang)
  if (detail !== null) return <p>{t('model.refused.said', { message: detail })}</p>
  if (lang === 'en') return <p>{t('model.refused.said', { message: error.message })}</p>
  return (
    <p lang="en" className="small s3">
      {error.message}
    </p>
  )
}

export function RefusedModel({ model }: { model: Model }) {
  const t = useT()
  const upload = useUpload()
  const navigate = useNavigate()
  const { data: session } = useSession()
  const [copied, setCopied] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const may = canPlan(session)
  const copy = async () => {
    await navigator.clipboard.writeText(JSON.stringify({ file: model.file_name, sha256: model.sha256, error: model.error }, null, 2))
    setCopied(true)
  }
  return (
    <main className="page" id="main" tabIndex={-1}>
      <Empty
        title={t('model.refused.title', { file: model.file_name || model.name })}
        actions={
          <>
            <FileButton kind="act" accept={MODEL_FILES} multiple disabledReason={may ? null : t('forbidden.viewer')} onFiles={upload}>
              {t('model.refused.another')}
            </FileButton>
            <Button onClick={() => void copy()}>{copied ? t('common.copied') : t('common.copy')}</Button>
            {may && <Button onClick={() => setDeleting(true)}>{t('model.delete')}</Button>}
            {model.error && <span className="small s3">{t('common.code', { code: model.error.code })}</span>}
          </>
        }
      >
        {model.error && <ErrorBanner error={model.error} />}
        {model.error && <Said error={model.error} />}
        <p>{t('model.refused.text')}</p>
      </Empty>
      <DeleteModelDialog
        model={deleting ? model : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: '/models' })}
      />
    </main>
  )
}
