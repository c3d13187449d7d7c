// Files on their way to the server: one store for the button, the drop zone and the list that shows progress.
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

import { api, unwrap } from '../api/client'
import { ApiError } from '../api/errors'
import { keys } from '../api/queries'
import type { Model, Session } from '../api/types'
import { upload } from '../api/upload'

export type UploadKind = 'model' | 'tables' | 'pool'

export interface UploadItem {
  id: number
  name: string
  kind: UploadKind
  share: number
  error: unknown
  cancel: () => void
}

export type Uploaded = { kind: 'model'; id: string } | { kind: 'pool'; id: string }

const listeners = new Set<() => void>()
let items: readonly UploadItem[] = []
let nextId = 1

function change(next: readonly UploadItem[]): void {
  items = next
  listeners.forEach((listener) => listener())
}

function update(id: number, part: Partial<UploadItem>): void {
  change(items.map((item) => (item.id === id ? { ...item, ...part } : item)))
}

export function dismissUpload(id: number): void {
  change(items.filter((item) => item.id !== id))
}

export function useUploads(): readonly UploadItem[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => items,
  )
}

/** What a file is, by its name: pools are .toml, tables .json, everything else is offered as a model. */
export function kindOf(fileName: string): UploadKind {
  const name = fileName.toLowerCase()
  if (name.endsWith('.toml')) return 'pool'
  return name.endsWith('.json') ? 'tables' : 'model'
}

function send(file: File, kind: UploadKind, id: number): Promise<Uploaded> {
  if (kind === 'pool') {
    return file
      .text()
      .then((toml) => unwrap(api.POST('/api/pools/import/', { body: { toml } })))
      .then((pool) => ({ kind: 'pool', id: pool.id }))
  }
  const form = new FormData()
  form.append('file', file, file.name)
  const sending = upload<Model>(kind === 'tables' ? '/api/tables/' : '/api/models/', form, (share) => update(id, { share }))
  update(id, { cancel: sending.cancel })
  return sending.answer.then((model) => ({ kind: 'model', id: model.id }))
}

/** What the server would say after it has received that much. */
function tooLarge(limit: number): ApiError {
  const message = `The upload is larger than ${limit} bytes.`
  return new ApiError(413, { code: 'upload_too_large', message, hint: '', params: { limit_bytes: limit } })
}

/** Sends a file; resolves to what it became, or null when it was refused (the list then shows why). */
export async function sendFile(file: File, client: QueryClient): Promise<Uploaded | null> {
  const id = nextId
  nextId += 1
  const kind = kindOf(file.name)
  change([...items, { id, name: file.name, kind, share: 0, error: null, cancel: () => undefined }])
  try {
    const limit = client.getQueryData<Session>(keys.session)?.max_upload_bytes
    if (limit !== undefined && file.size > limit) throw tooLarge(limit)
    const made = await send(file, kind, id)
    dismissUpload(id)
    void client.invalidateQueries({ queryKey: made.kind === 'pool' ? keys.pools : keys.models })
    return made
  } catch (error) {
    update(id, { error })
    return null
  }
}
