// The trial run on the download page: started on chosen devices, watched, stopped, read, and refused with the reason.
import { cleanup, configure, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { setLang } from '../../../i18n'
import { openApp, page, SEARCH, SESSION } from '../../../test/fakeServer'
import { devicesOf, lanesOf, worstOutput } from './lanes'
import { placeTexts, trialPlaces } from './places'

// Pages are loaded when they are opened, which takes a busy machine more than the usual second.
configure({ asyncUtilTimeout: 10_000 })

afterEach(() => {
  cleanup()
  setLang('en')
  vi.unstubAllGlobals()
})

const PLAN = '/api/searches/s1/plans/3'
const FORMATS = { segments: 2, cut_edges: 1, cut_bytes: 2048, unavailable: [], formats: [] }
const device = (id: string, name: string, more: object = {}) => ({ id, name, state: 'healthy', device_type: 'CPU', ...more })
const HOSTS = {
  hosts: [
    {
      id: 'h1', name: 'box', alive: true,
      runtimes: [
        { name: 'onnxruntime', devices: [device('d0', 'CPU'), device('d1', 'CUDA', { device_type: 'GPU' })] },
        { name: 'openvino', devices: [device('d2', 'CPU X'), device('d3', 'CPU Y', { state: 'lost' })] },
        { name: 'sim', devices: [device('d4', 'CPU')] },
      ],
    },
  ],
}
const segment = (index: number, on: string, more: object = {}) => ({
  index, device: on, operators: 3, predicted_ms: 2, measured_ms: 3, memory_bytes: 1000, predicted_start_ms: 0,
  predicted_finish_ms: 2, measured_start_ms: 0, ...more,
})
const output = (name: string, distance: number | null, more: object = {}) => ({
  name, distance, tolerance: 1e-5, constant: false, within: true, ...more,
})
const RESULT = {
  items: 16, latency_ms: 6, predicted_latency_ms: 4, throughput_per_s: 200, predicted_throughput_per_s: 400, whole_ms: 5, random_weights: 0,
  same_results: true, outputs: [output('small', 1e-9), output('worst', 4e-6)], device_memory_bytes: { gpu0: 1000, cpu0: 1000 },
  segments: [segment(0, 'gpu0'), segment(1, 'cpu0', { predicted_start_ms: 2, predicted_finish_ms: 4, measured_start_ms: 3 })],
}
const PLACES = [
  { name: 'gpu0', runtime: 'openvino', device: 'CPU X', fingerprint: 'aa' },
  { name: 'cpu0', runtime: 'onnxruntime', device: 'CPU', fingerprint: 'bb' },
]
const TRIAL = {
  id: 't1', plan_hash: 'ab', plan_number: 3, created_at: '2026-01-02T03:04:05Z', created_by: null, state: 'done', host: 'box',
  places: PLACES, progress: null, error: null, stale: [], profiles: [] as string[], result: RESULT,
}
const MODEL = { id: SEARCH.model.id, name: 'tiny', kind: 'onnx', created_by: { id: 'someone', name: 'Someone' } }
const replies = (...trials: object[]) => ({
  'GET /api/searches/s1/': SEARCH,
  [`GET ${PLAN}/formats/`]: FORMATS,
  [`GET ${PLAN}/exports/`]: page(),
  [`GET ${PLAN}/trials/`]: page(...trials),
  'GET /api/hosts/': HOSTS,
  [`GET /api/models/${SEARCH.model.id}/`]: MODEL,
})
const section = async () => within(await screen.findByRole('region', { name: /Trial run|试运行/ }))

describe('trial run of a plan', () => {
  it('says in both languages that its host fell silent, and how it goes on', async () => {
    const silent = { hosts: HOSTS.hosts.map((host) => ({ ...host, alive: false, seen_at: '2026-01-02T03:04:05Z' })) }
    const queued = { ...TRIAL, state: 'queued', result: null, progress: { done: 3, total: 34, phase: 'alone' } }
    openApp('/searches/s1/plans/3/download', { ...replies(queued), 'GET /api/hosts/': silent })
    expect(await (await section()).findByText(/box is silent since .* begins anew/)).toBeTruthy()
    setLang('zh')
    expect(await (await section()).findByText(/box 自 .*重新开始/)).toBeTruthy()
    expect((await section()).getByText('./run worker --host')).toBeTruthy()
  })

  it('asks for the chosen device of a host, and for nothing else', async () => {
    const user = userEvent.setup()
    const { sent } = openApp('/searches/s1/plans/3/download', { ...replies(), [`POST ${PLAN}/trials/`]: { ...TRIAL, state: 'queued', result: null } })
    const here = await section()
    await user.click(await here.findByText('What stands for each device'))
    const select = here.getAllByRole('combobox')[0] as HTMLSelectElement
    expect([...select.options].map((one) => one.text)).toEqual(['By default', 'box · onnxruntime · CPU', 'box · openvino · CPU X'])
    await user.selectOptions(select, 'd2')
    await user.click(here.getByRole('button', { name: 'Run the plan' }))
    await waitFor(() => expect(sent.some((one) => one.method === 'POST')).toBe(true))
    const name = SEARCH.pool.devices[0]?.name ?? ''
    expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ host: null, devices: { [name]: 'd2' } })
  })

  it('shows measured beside predicted, the worst output, and what has changed since', async () => {
    const stale = [{ code: 'fingerprint_changed', params: { runtime: 'openvino', before: 'aa', after: 'cc' } }]
    openApp('/searches/s1/plans/3/download', replies({ ...TRIAL, stale }))
    const here = await section()
    expect(await here.findByText(/largest relative difference 4e-6 at worst, tolerance 1e-5/)).toBeTruthy()
    expect(here.getByRole('row', { name: 'Latency 4 ms 6 ms × 1.5' })).toBeTruthy()
    expect(here.getByRole('row', { name: 'Throughput 400 items/s 200 items/s × 0.5' })).toBeTruthy()
    const tables = here.getAllByRole('table').map((table) => within(table).getAllByRole('columnheader').map((one) => one.textContent))
    const shared = ['Predicted', 'Measured', 'Ratio', 'Memory']
    expect(tables[1]?.slice(-4)).toEqual(tables[2]?.slice(-4))
    expect(tables[1]).toHaveLength(2 + shared.length)
    expect(tables[2]).toHaveLength(3 + shared.length)
    const rows = here.getAllByRole('row').map((row) => row.textContent)
    expect(rows.filter((text) => /gpu0.*2 ms3 ms× 1\.5/.test(text))).toHaveLength(2)
    expect(here.getByRole('img', { name: /One item through 2 segments, predicted and measured, 6 ms in all/ })).toBeTruthy()
    expect(here.getByText('openvino has another fingerprint now.')).toBeTruthy()
    expect(here.getByText(/gpu0: openvino CPU X · cpu0: onnxruntime CPU/)).toBeTruthy()
  })

  it('says when no output proves anything, or some do not', async () => {
    const none = { ...RESULT, outputs: [output('a', 0, { constant: true })] }
    const some = { ...RESULT, outputs: [output('a', 0, { constant: true }), output('b', 1e-7)] }
    openApp('/searches/s1/plans/3/download', replies({ ...TRIAL, result: none }, { ...TRIAL, id: 't2', result: some }))
    const here = await section()
    expect(await here.findByText(/No output proves anything/)).toBeTruthy()
    expect(here.getByText(/Some outputs prove nothing/)).toBeTruthy()
  })

  it('shows progress with Stop, and why one failed', async () => {
    const user = userEvent.setup()
    const running = { ...TRIAL, id: 't2', state: 'running', result: null, progress: { done: 3, total: 34, phase: 'alone' } }
    const error = { code: 'trial_failed', message: 'No.', hint: '', params: { says: 'broken' } }
    const { sent } = openApp('/searches/s1/plans/3/download', {
      ...replies(running, { ...TRIAL, id: 't3', state: 'failed', result: null, error }),
      'POST /api/trials/t2/stop/': { ...running, state: 'stopped' },
    })
    const here = await section()
    expect(await here.findByText('3 of 34')).toBeTruthy()
    expect(here.getByRole('alert').textContent).toContain('The segments could not be run here: broken')
    const start = here.getByRole('button', { name: /Run the plan/ })
    expect(start.getAttribute('aria-disabled')).toBe('true')
    await user.click(here.getByRole('button', { name: 'Stop' }))
    await waitFor(() => expect(sent.some((one) => one.method === 'POST')).toBe(true))
  })

  it('takes its figures back into costs once, and says where they are', async () => {
    const user = userEvent.setup()
    const rows: object[] = [TRIAL]
    const { sent } = openApp('/searches/s1/plans/3/download', {
      ...replies(),
      [`GET ${PLAN}/trials/`]: () => page(...rows),
      'POST /api/trials/t1/profiles/': () => {
        rows[0] = { ...TRIAL, profiles: ['p1', 'p2'] }
        return []
      },
    })
    const here = await section()
    await user.click(await here.findByRole('button', { name: 'Take back into costs' }))
    expect(await here.findByText(/Kept as 2 profiles of the model/)).toBeTruthy()
    expect(here.getByRole('link', { name: 'Open the model' }).getAttribute('href')).toBe(`/models/${SEARCH.model.id}`)
    expect(here.queryByRole('button', { name: 'Take back into costs' })).toBeNull()
    expect(sent.filter((one) => one.method === 'POST').length).toBe(1)
  })

  it('says why it cannot be started', async () => {
    openApp('/searches/s1/plans/3/download', { ...replies(), 'GET /api/hosts/': { hosts: [] } })
    const here = await section()
    await waitFor(() => expect(here.getByRole('button', { name: 'Run the plan' }).getAttribute('aria-disabled')).toBe('true'))
  })

  it('lets a viewer only look', async () => {
    setLang('zh')
    openApp('/searches/s1/plans/3/download', { ...replies(), 'GET /api/session/': { ...SESSION, permissions: ['view'] } })
    const here = await section()
    expect(here.getByRole('button', { name: '运行方案' }).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('what is drawn of a trial run', () => {
  it('has a pair of lanes for each device that is used', () => {
    const { lanes, end } = lanesOf(RESULT.segments, ['cpu0', 'gpu0', 'idle'])
    expect(lanes.map((lane) => lane.device)).toEqual(['cpu0', 'gpu0'])
    expect(lanes[0]).toEqual({
      device: 'cpu0', predicted: [{ index: 1, from: 2, to: 4 }], measured: [{ index: 1, from: 3, to: 6 }],
    })
    expect(end).toBe(6)
  })

  it('sums segments by device', () => {
    const segments = [...RESULT.segments, segment(2, 'gpu0', { predicted_ms: 5, measured_ms: 7 })]
    expect(devicesOf({ ...RESULT, segments })[0]).toEqual({ device: 'gpu0', segments: 2, predicted: 7, measured: 10, memory: 2000 })
  })

  it('takes an output that is wrong altogether for the worst', () => {
    const outputs = [output('a', 1), output('b', null, { within: false }), output('c', 2)]
    expect(worstOutput({ ...RESULT, outputs })?.name).toBe('b')
    expect(worstOutput({ ...RESULT, outputs: [] })).toBeNull()
  })

  it('names devices that one place stands for together, and offers CPUs that are well', () => {
    expect(placeTexts([...PLACES, { name: 'npu0', runtime: 'openvino', device: 'CPU X' }], ', ')).toEqual([
      'gpu0, npu0: openvino CPU X', 'cpu0: onnxruntime CPU',
    ])
    expect(trialPlaces(HOSTS.hosts as never).map((one) => one.id)).toEqual(['d0', 'd2'])
  })
})
