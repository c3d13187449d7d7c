// Sends a file in pieces by the tus protocol, and goes on where it stopped after a cut connection or a reload.
import { Upload, type DetailedError } from 'tus-js-client'

import { csrfHeaders } from './client'
import { ApiError, toApiError, withTexts } from './errors'

export interface SentFile {
  /** Of the upload, which the server makes a model of. */
  id: string
}

export interface Sending {
  answer: Promise<SentFile>
  cancel: () => void
}

/** A cut connection costs at most this much. */
const PIECE_BYTES = 8 * 2 ** 20
/** Long enough for the server to restart, short enough for a person to wait. */
const RETRY_MS = [0, 1000, 2000, 4000, 8000, 15_000, 30_000]

export function cancelled(): ApiError {
  return toApiError(0, { code: 'upload_cancelled', message: 'Upload cancelled.', hint: '', params: {} })
}

/** Sends `file`; `onProgress` receives the bytes that have gone. Cancelling deletes what has arrived. */
export function sendFileInPieces(file: File, kind: string, onProgress: (bytes: number) => void): Sending {
  let cancel: () => void = () => undefined
  const answer = new Promise<SentFile>((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: '/api/uploads/',
      chunkSize: PIECE_BYTES,
      retryDelays: RETRY_MS,
      removeFingerprintOnSuccess: true,
      metadata: { filename: file.name, kind },
      onBeforeRequest: (request) => {
        request.setHeader('Accept', 'application/json')
        for (const [name, value] of Object.entries(csrfHeaders())) request.setHeader(name, value)
      },
      onProgress: (bytes) => onProgress(bytes),
      onSuccess: () => resolve({ id: idOf(upload.url ?? '') }),
      onError: (error) => void withTexts(toError(error)).then(reject),
    })
    cancel = () => {
      reject(cancelled())
      void upload.abort(true).catch(() => undefined)
    }
    upload
      .findPreviousUploads()
      .then(([previous]) => {
        if (previous) upload.resumeFromPreviousUpload(previous)
        upload.start()
      })
      .catch(() => upload.start())
  })
  return { answer, cancel: () => cancel() }
}

function idOf(url: string): string {
  return url.replace(/\/+$/, '').split('/').pop() ?? ''
}

function toError(error: Error | DetailedError): ApiError {
  const response = 'originalResponse' in error ? error.originalResponse : null
  if (!response) return toApiError(0, null)
  return toApiError(response.getStatus(), parse(response.getBody()))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
