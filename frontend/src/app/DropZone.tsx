// Drop a file anywhere on the page to upload it; also the list of uploads under way or refused.
import { useEffect, useState } from 'react'

import { ApiError, errorText } from '../api/errors'
import { useSession } from '../api/queries'
import { Button } from '../components/Button'
import { useFormats } from '../format/numbers'
import { useLang, useT } from '../i18n'
import { canPlan } from './permissions'
import { dismissUpload, useUploads, type UploadItem } from './uploads'
import { useUpload } from './useUpload'

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}

function useDropAnywhere(enabled: boolean): boolean {
  const send = useUpload()
  const [over, setOver] = useState(false)
  useEffect(() => {
    if (!enabled) return
    let depth = 0
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth += 1
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) setOver(false)
    }
    const hold = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      depth = 0
      setOver(false)
      if (!carriesFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      send(event.dataTransfer?.files ?? [])
    }
    window.addEventListener('dragenter', enter)
    window.addEventListener('dragleave', leave)
    window.addEventListener('dragover', hold)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragenter', enter)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('dragover', hold)
      window.removeEventListener('drop', drop)
    }
  }, [enabled, send])
  return over
}

/** Whether what has arrived is still there and the reason may be over: the connection, the server, a full disk. */
function mayGoOn(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'offline' || error.status >= 500 || error.status === 423)
}

function UploadRow({ item }: { item: UploadItem }) {
  const t = useT()
  const lang = useLang()
  const formats = useFormats()
  if (item.error !== null) {
    const text = errorText(item.error, lang)
    return (
      <div className="toast refused" role="alert">
        <div className="grow">
          <div className="strong">{t('upload.refused', { name: item.name })}</div>
          <div className="small">
            {text.title} {text.hint}
          </div>
        </div>
        {mayGoOn(item.error) && (
          <Button kind="quiet" size="s" onClick={() => item.retry()}>
            {t('upload.continue')}
          </Button>
        )}
        <Button kind="quiet" size="s" icon="x" aria-label={t('common.close')} onClick={() => dismissUpload(item.id)} />
      </div>
    )
  }
  return (
    <div className="toast">
      <div className="grow">
        <div className="row small">
          <span className="grow cut">{item.name}</span>
          <span>{item.share < 1 ? formats.share(item.share) : t('upload.waiting')}</span>
        </div>
        <div
          className="prog"
          role="progressbar"
          aria-label={item.name}
          aria-valuenow={Math.round(item.share * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <i style={{ width: `${item.share * 100}%` }} />
        </div>
      </div>
      <Button kind="quiet" size="s" onClick={() => item.cancel()}>
        {t('common.cancel')}
      </Button>
    </div>
  )
}

export function DropZone() {
  const t = useT()
  const { data: session } = useSession()
  const over = useDropAnywhere(canPlan(session))
  const uploads = useUploads()
  return (
    <>
      {over && <div className="dropping">{t('shell.drop')}</div>}
      {uploads.length > 0 && (
        <div className="toasts uploads">
          {uploads.map((item) => (
            <UploadRow key={item.id} item={item} />
          ))}
        </div>
      )}
    </>
  )
}
