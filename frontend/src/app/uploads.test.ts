// Where a dropped file goes, and what happens to one that is too large.
import { QueryClient } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import { ApiError } from '../api/errors'
import { keys } from '../api/queries'
import { dismissUpload, kindOf, sendFile, useUploads } from './uploads'

describe('uploads', () => {
  it.each([
    ['net.onnx', 'model'],
    ['Costs.JSON', 'tables'],
    ['rack.toml', 'pool'],
    ['weights', 'model'],
  ])('takes %s as a %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind)
  })

  it('refuses a file above the limit of the server without sending it', async () => {
    const client = new QueryClient()
    client.setQueryData(keys.session, { max_upload_bytes: 3 })
    expect(await sendFile(new File(['four'], 'net.onnx'), client)).toBeNull()
    const { result, rerender } = renderHook(() => useUploads())
    const [item] = result.current
    expect(item?.error).toBeInstanceOf(ApiError)
    expect(item?.error).toMatchObject({ code: 'upload_too_large', params: { limit_bytes: 3 } })
    dismissUpload(item?.id ?? 0)
    rerender()
    expect(result.current).toEqual([])
  })
})
