// The table of changes: every figure by its name in the language of the page.
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'

import { setLang } from '../../i18n'
import { ChangeTable } from './ChangeTable'

afterEach(() => {
  cleanup()
  setLang('en')
})

const change = (kind: string, field: string, before: unknown, after: unknown) => ({ kind, where: 'gpu0', field, before, after, alters: 'time' })
const CHANGES = [
  change('device_changed', 'peak_gflop_per_s.fp32', 19500, 20000),
  change('link_changed', 'bandwidth_gb_per_s', 24, 12),
  change('link_removed', '', 24, null),
]

describe('the table of changes', () => {
  it.each([
    ['en', ['Peak, GFLOP/s · fp32', 'Bandwidth, GB/s', 'link removed, GB/s']],
    ['zh', ['峰值，GFLOP/s · fp32', '带宽，GB/s', '移除链路，GB/s']],
  ] as const)('names figures in %s', (lang, names) => {
    setLang(lang)
    render(<ChangeTable changes={CHANGES} total={3} />)
    for (const name of names) expect(screen.getByText(name)).toBeTruthy()
  })
})
