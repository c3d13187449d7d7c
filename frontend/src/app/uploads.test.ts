// What happens to a file that the server would refuse anyway.
import { QueryClient } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { ApiError } from '../api/errors'
import { keys } from '../api/queries'
import { groupFiles } from './fileGroups'
import { dismissUpload, sendFiles, useUploads } from './uploads'

describe('uploads', () => {
  it.each([
    ['four', 'upload_too_large'],
    ['', 'file_empty'],
  ])('refuses a file of %j without sending it', async (content, code) => {
    const client = new QueryClient()
    client.setQueryData(keys.session, { max_upload_bytes: 3 })
    for (const group of groupFiles([new File([content], 'net.onnx')])) expect(await sendFiles(group, client)).toBeNull()
    const { result, rerender } = renderHook(() => useUploads())
    const [item] = result.current
    expect(item?.error).toBeInstanceOf(ApiError)
    expect(item?.error).toMatchObject({ code })
    dismissUpload(item?.id ?? 0)
    rerender()
    expect(result.current).toEqual([])
  })
})
