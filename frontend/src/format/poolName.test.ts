// Names of sample pools in the reader's language; nobody else's pool is renamed.
import { renderHook } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'

import { setLang } from '../i18n'
import { usePoolName } from './poolName'

afterEach(() => setLang('en'))

it('translates sample pools only', () => {
  setLang('zh')
  const { result } = renderHook(() => usePoolName())
  expect(result.current('Data centre', true)).toBe('数据中心')
  expect(result.current('Data centre', false)).toBe('Data centre')
  expect(result.current('A later sample', true)).toBe('A later sample')
})
