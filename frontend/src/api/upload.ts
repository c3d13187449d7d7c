// Sends a file with progress, which fetch cannot report.
import { csrfHeaders } from './client'
import { toApiError } from './errors'

export interface Upload<T> {
  answer: Promise<T>
  cancel: () => void
}

/** Posts `form`; `onProgress` receives the share sent, 0 to 1. Cancelling rejects with the code "upload_cancelled". */
export function upload<T>(path: string, form: FormData, onProgress: (share: number) => void): Upload<T> {
  const xhr = new XMLHttpRequest()
  const answer = new Promise<T>((resolve, reject) => {
    xhr.open('POST', path)
    xhr.setRequestHeader('Accept', 'application/json')
    for (const [name, value] of Object.entries(csrfHeaders())) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total)
    }
    xhr.onload = () => {
      const body = parse(xhr.responseText)
      if (xhr.status >= 200 && xhr.status < 300) resolve(body as T)
      else reject(toApiError(xhr.status, body))
    }
    xhr.onerror = () => reject(toApiError(0, null))
    xhr.onabort = () => reject(toApiError(0, { code: 'upload_cancelled', message: 'Upload cancelled.', hint: '', params: {} }))
  })
  xhr.send(form)
  return { answer, cancel: () => xhr.abort() }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
