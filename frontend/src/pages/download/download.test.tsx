// The download page against a fake server: formats, refusals that options may mend, archives, links, and approvals.
import { cleanup, configure, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { setLang } from '../../i18n'
import { openApp, page, SEARCH, SESSION } from '../../test/fakeServer'

// Pages are loaded when they are opened, which takes a busy machine more than the usual second.
configure({ asyncUtilTimeout: 10_000 })

afterEach(() => {
  cleanup()
  setLang('en')
  vi.unstubAllGlobals()
})

const PLAN = '/api/searches/s1/plans/3'
const format = (key: string, more: object = {}) => ({
  key, engine: 'Engine', versions: '1', needs_model: false, expresses: ['placement'], reads_back: false, options: [], refusals: [], ...more,
})
const FORMATS = {
  segments: 2, cut_edges: 1, cut_bytes: 2048, unavailable: [],
  formats: [
    format('plan-json', { options: [{ name: 'inputs', meaning: 'carry the rest', default: 'yes' }] }),
    format('tensorrt', {
      options: [{ name: 'target.*', meaning: 'what it is called', default: '' }],
      refusals: [{ code: 'export_needs_onnx', message: 'This format carries the ONNX model.', hint: '', params: {} }],
    }),
    format('from-a-plugin'),
  ],
}
const MANIFEST = {
  approval: { state: 'approved', by: ['Bob'], at: '2026-01-02T03:04:05Z' },
  coverage: { planned: 2, expressed: 2, unmatched: [], n_unmatched: 0 },
  notes: [{ code: 'export_weights_copied', params: { size_bytes: 64 } }],
  hashes: { plan: 'ab'.repeat(32) },
  files: { 'plan.json': { sha256: 'cd'.repeat(32), size_bytes: 10 } },
}
const EXPORT = {
  id: 'e1', format: 'plan-json', options: {}, plan_hash: 'ab'.repeat(32), plan_number: 3, created_at: '2026-01-02T03:04:05Z',
  created_by: { id: 'u', name: 'Alice' }, state: 'done', job: null, error: null, manifest: MANIFEST, sha256: 'ef'.repeat(32),
  size_bytes: 2048, file_name: 'tiny-search7-plan3-plan-json.zip',
  approval_now: { holds: true, state: 'approved', by: ['Bob'], at: '2026-01-02T03:04:05Z', reasons: [] as object[] },
}
const replies = (...exports: object[]) => ({
  'GET /api/searches/s1/': SEARCH,
  [`GET ${PLAN}/formats/`]: FORMATS,
  [`GET ${PLAN}/exports/`]: page(...exports),
})

describe('downloads of a plan', () => {
  it('asks for an archive with the options that a refused format needs, and only then', async () => {
    const user = userEvent.setup()
    const { sent } = openApp('/searches/s1/plans/3/download', { ...replies(), [`POST ${PLAN}/exports/`]: EXPORT })
    await user.click(await screen.findByRole('radio', { name: /TensorRT/ }))
    const make = screen.getByRole('button', { name: 'Make the archive' })
    expect(make.getAttribute('aria-disabled')).toBe('true')
    expect(screen.getByText(/This format carries the ONNX model, and this plan is not of one/)).toBeTruthy()
    await user.type(screen.getByLabelText('Target · gpu0'), 'GPU')
    await user.click(screen.getByRole('button', { name: 'Make the archive' }))
    await waitFor(() => expect(sent.some((one) => one.method === 'POST')).toBe(true))
    expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ format: 'tensorrt', options: { 'target.gpu0': 'GPU' } })
  })

  it('asks in words for an option that is yes or no', async () => {
    const user = userEvent.setup()
    const { sent } = openApp('/searches/s1/plans/3/download', { ...replies(), [`POST ${PLAN}/exports/`]: EXPORT })
    const inputs = await screen.findByLabelText('Inputs')
    expect(inputs).toHaveProperty('value', 'yes')
    await user.selectOptions(inputs, 'no')
    await user.click(screen.getByRole('button', { name: 'Make the archive' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ format: 'plan-json', options: { inputs: 'no' } }))
  })

  it('says in both languages which versions a format is for, beside it and where it refuses another', async () => {
    const versions = '1.25 and newer'
    const params = { format: 'ort-annotations', engine: 'ONNX Runtime', version: '1.10', versions }
    const refusal = { code: 'export_version', message: 'In English.', hint: '', params }
    const only = [format('ort-annotations', { engine: 'ONNX Runtime', versions, refusals: [refusal] }), format('from-a-plugin', { versions: '7 or so' })]
    openApp('/searches/s1/plans/3/download', { ...replies(), [`GET ${PLAN}/formats/`]: { ...FORMATS, formats: only } })
    expect(await screen.findByText('ONNX Runtime 1.25 and newer')).toBeTruthy()
    expect(screen.getByText(/does not load this format, which is for 1\.25 and newer/)).toBeTruthy()
    setLang('zh')
    expect(await screen.findByText('ONNX Runtime 1.25 及更新版本')).toBeTruthy()
    expect(screen.getByText(/该格式适用于 1\.25 及更新版本/)).toBeTruthy()
    await userEvent.click(screen.getByRole('radio', { name: /from-a-plugin/ }))
    expect(screen.getByText('Engine 7 or so')).toBeTruthy()
  })

  it('lists an archive with its approval, notes, checksums and a link that ends', async () => {
    const user = userEvent.setup()
    const url = 'http://testserver/api/lent-exports/word/'
    openApp('/searches/s1/plans/3/download', {
      ...replies(EXPORT),
      'POST /api/exports/e1/link/': { url, expires_at: '2026-01-02T03:19:05Z' },
    })
    expect(await screen.findByText(/2 of 2 operators · Approved by Bob/)).toBeTruthy()
    expect(screen.getByText(/Segments share weights/)).toBeTruthy()
    expect(screen.getByText('cd'.repeat(32))).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Download' }).getAttribute('href')).toBe('/api/exports/e1/download/')
    await user.click(screen.getByRole('button', { name: 'Copy link' }))
    expect(await screen.findByDisplayValue(url)).toBeTruthy()
  })

  it('says beside an archive that its approval holds no longer, and why', async () => {
    const now = (more: object) => ({ ...EXPORT, approval_now: { holds: false, state: 'draft', by: [], at: null, reasons: [], ...more } })
    const reasons = [{ code: 'pool_changed', params: { devices: ['gpu0'] }, at: '2026-01-05T03:04:05Z', by: null }]
    openApp(
      '/searches/s1/plans/3/download',
      replies(
        { ...now({}), id: 'e2' },
        { ...now({ state: 'stale', by: ['Bob'], at: '2026-01-02T03:04:05Z', reasons }), id: 'e3' },
        { ...now({ state: 'approved', by: ['Eve'], at: '2026-01-06T03:04:05Z' }), id: 'e4' },
        EXPORT,
        { ...EXPORT, id: 'e5', manifest: { ...MANIFEST, approval: 'not approved' }, approval_now: null },
      ),
    )
    const rows = (await screen.findAllByRole('row')).map((row) => row.textContent).filter((text) => text.includes('2 of 2 operators'))
    expect(rows).toHaveLength(5)
    expect(rows[0]).toMatch(/Approved by Bob.*Approval no longer holds.*withdrawn after the archive was made/)
    expect(rows[1]).toMatch(/Approved by Bob.*Approval no longer holds.*has changed since: The figures of gpu0 were changed/)
    expect(rows[2]).toMatch(/Approved by Bob.*Approval no longer holds.*approved again by Eve/)
    expect(rows[3]).toMatch(/Approved by Bob/)
    expect(rows[3]).not.toMatch(/no longer holds/)
    expect(rows[4]).toMatch(/Not approved/)
  })

  it('keeps formats of plugins by their own names, and lets a viewer only look', async () => {
    setLang('zh')
    openApp('/searches/s1/plans/3/download', {
      ...replies(EXPORT, { ...EXPORT, id: 'e2', state: 'failed', sha256: '', manifest: null, size_bytes: null, error: { code: 'export_lost', message: 'Gone.', hint: '', params: {} } }),
      'GET /api/session/': { ...SESSION, permissions: ['view'] },
    })
    expect(await screen.findByRole('radio', { name: /from-a-plugin/ })).toBeTruthy()
    expect(screen.getByText('该格式未写出归档')).toBeTruthy()
    const table = screen.getByRole('region', { name: '此方案的归档' })
    expect(within(table).queryByRole('button', { name: '复制链接' })).toBeNull()
    expect(screen.getByRole('button', { name: '生成归档' }).getAttribute('aria-disabled')).toBe('true')
  })
})
