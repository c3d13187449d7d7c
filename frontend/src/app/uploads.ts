// Files on their way to the server: one store for the button, the drop zone and the list that shows progress.
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

import { api, unwrap } from '../api/client'
import { ApiError } from '../api/errors'
import { keys } from '../api/queries'
import type { Session } from '../api/types'
import type { FileGroup, UploadKind } from './fileGroups'

export interface UploadItem {
  id: number
  name: string
  kind: UploadKind
  share: number
  error: unknown
  cancel: () => void
  /** Goes on where it stopped. */
  retry: () => void
}

export type Uploaded = { kind: 'model'; id: string; name: string; alreadyThere: boolean } | { kind: 'pool'; id: string }

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

async function send({ kind, file, data }: FileGroup, id: number): Promise<Uploaded> {
  if (kind === 'pool') {
    const pool = await unwrap(api.POST('/api/pools/import/', { body: { toml: await file.text() } }))
    return { kind: 'pool', id: pool.id }
  }
  const { cancelled, sendFileInPieces } = await import('../api/upload')
  if (!items.some((item) => item.id === id)) throw cancelled()
  const total = [file, ...data].reduce((sum, one) => sum + one.size, 0)
  const ids: string[] = []
  let before = 0
  for (const one of [file, ...data]) {
    const sending = sendFileInPieces(one, kind === 'tables' ? 'tables' : 'onnx', (bytes) => update(id, { share: (before + bytes) / total }))
    update(id, { cancel: sending.cancel })
    ids.push((await sending.answer).id)
    before += one.size
  }
  update(id, { share: 1, cancel: () => undefined })
  const [main = '', ...others] = ids
  const model = await unwrap(
    api.POST('/api/uploads/{upload_id}/finish/', { params: { path: { upload_id: main } }, body: { data_files: others } }),
  )
  return { kind: 'model', id: model.id, name: model.name, alreadyThere: model.already_there }
}

/** What the server would say after it has received that much, or nothing at all. */
function checkSize(file: File, limit: number | undefined): void {
  if (file.size === 0) throw new ApiError(400, { code: 'file_empty', message: 'The file is empty.', hint: '', params: {} })
  if (limit === undefined || file.size <= limit) return
  const message = `The upload is larger than ${limit} bytes.`
  throw new ApiError(413, { code: 'upload_too_large', message, hint: '', params: { limit_bytes: limit } })
}

/** Sends files that belong together; resolves to what they became, or null when refused (the list then shows why). */
export async function sendFiles(group: FileGroup, client: QueryClient): Promise<Uploaded | null> {
  const id = nextId
  nextId += 1
  const retry = () => {
    dismissUpload(id)
    void sendFiles(group, client)
  }
  change([...items, { id, name: group.file.name, kind: group.kind, share: 0, error: null, cancel: () => dismissUpload(id), retry }])
  try {
    const limit = client.getQueryData<Session>(keys.session)?.max_upload_bytes
    for (const file of [group.file, ...group.data]) checkSize(file, limit)
    const made = await send(group, id)
    dismissUpload(id)
    void client.invalidateQueries({ queryKey: made.kind === 'pool' ? keys.pools : keys.models })
    return made
  } catch (error) {
    update(id, { error })
    return null
  }
}
