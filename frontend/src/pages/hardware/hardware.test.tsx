// The pages of hardware against a fake server: states with reasons, cordon, maps with filters, and comparisons.
import { cleanup, configure, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { setLang } from '../../i18n'
import { openApp, page, SESSION } from '../../test/fakeServer'
import { worstFirst } from './comparison'
import { lossPath } from './LossChart'
import { filterRows, mapRows } from './mapRows'
import { boxes, type TopologyNode } from './topology'

// Pages are loaded when they are opened, which takes a busy machine more than the usual second.
configure({ asyncUtilTimeout: 10_000 })

afterEach(() => {
  cleanup()
  setLang('en')
  vi.unstubAllGlobals()
})

const WHEN = '2026-01-02T03:04:05Z'
const OWNER = { ...SESSION, permissions: ['view', 'plan', 'manage'] }

const DEVICE = {
  id: 'd1', index: 0, name: 'CPU', device_type: 'CPU', memory_size_bytes: 16e9, precisions: ['fp32', 'bf16'],
  capabilities: ['preempt'], position: {}, versions: {}, state: 'healthy', reason: null, cordoned: false, cordon_note: '',
  cordoned_by: null, cordoned_at: null,
}

const RUNTIME = {
  id: 'r1', name: 'openvino', state: 'healthy', reason: null, state_since: WHEN, versions: { openvino: '2026.4' },
  verified: true, starts: 1, probed_at: WHEN, fingerprint: 'ab'.repeat(8), previous_fingerprint: 'cd'.repeat(8),
  fingerprint_changed_at: WHEN, devices: [DEVICE],
  changes: [
    { kind: 'version', name: 'openvino', before: '2026.3', after: '2026.4' },
    { kind: 'object', name: 'libopenvino.so', before: 'build-id:1', after: 'build-id:2' },
  ],
}

const HOST = {
  id: 'h1', name: 'bench', queue: 'host.bench', alive: true, first_seen_at: WHEN, seen_at: WHEN, started_at: WHEN,
  cores: 2, memory_size_bytes: 32e9, versions: {}, topology: null, runtimes: [RUNTIME],
}

const hosts = (...list: object[]) => ({ hosts: list, shared: false, kept_here: true })

const MAP = {
  id: 'm1', state: 'done', progress: null, error: null, trigger: 'person', created_at: WHEN, created_by: 'Alice',
  finished_at: WHEN, host: 'bench', runtime: 'openvino', runtime_id: 'r1', device: 'CPU', device_id: 'd1',
  fingerprint: 'ab'.repeat(8), stale: false, counts: { native: 1, unsupported: 1 },
}

const support = (op_type: string, status: string, more: object = {}) => ({
  op_type, domain: '', status, since_version: 13, types: [], passed: 2, failed: 0, wrong: 0, skipped: 0,
  reason: { code: '', says: '', case: '' }, ...more,
})

const RUN = {
  id: 'c1', state: 'done', progress: null, error: null, trigger: 'person', created_at: WHEN, created_by: 'Alice',
  finished_at: WHEN, kind: 'model', model: 'm', title: 'resnet', left: 'onnxruntime · CPU', right: 'openvino · CPU',
  left_precision: 'model', right_precision: 'default', left_id: 'd0', right_id: 'd1', left_fingerprint: null,
  right_fingerprint: null, stale: false, seed: 0, summary: { out: 1, first: 'conv1' },
}

describe('devices', () => {
  it('shows runtimes with their devices, and names what changed', async () => {
    openApp('/hardware', { 'GET /api/hosts/': hosts(HOST) })
    const runtime = within(await screen.findByRole('region', { name: 'openvino' }))
    expect(runtime.getByText(/openvino 2026\.3 → 2026\.4, 1 shared object/)).toBeTruthy()
    expect(runtime.getByText('fp32 bf16')).toBeTruthy()
    expect(screen.getByText(/Another machine cannot join this server/)).toBeTruthy()
  })

  it('says in both languages why a device cannot be used, and what nobody has verified', async () => {
    const reason = { code: 'runtime_timeout', message: 'x', hint: '', params: { timeout_s: 5 } }
    const broken = { ...RUNTIME, state: 'unusable', reason, verified: false, changes: [], devices: [] }
    openApp('/hardware', { 'GET /api/hosts/': hosts({ ...HOST, alive: false, runtimes: [broken] }) })
    expect(await screen.findByText('The runtime did not answer within 5 s')).toBeTruthy()
    expect(screen.getByText('Not verified on hardware')).toBeTruthy()
    expect(screen.getByText('Silent')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Language: switch to Chinese' }))
    expect(await screen.findByText('运行时在 5 秒内没有响应')).toBeTruthy()
    expect(screen.getByText('未在硬件上验证')).toBeTruthy()
  })

  it('cordons with a note, for owners only', async () => {
    const replies = { 'GET /api/hosts/': hosts(HOST), 'POST /api/devices/d1/cordon/': DEVICE }
    const { sent } = openApp('/hardware', { ...replies, 'GET /api/session/': OWNER })
    await userEvent.click(await screen.findByRole('button', { name: 'Cordon CPU' }))
    await userEvent.type(screen.getByLabelText(/Why/), 'fan')
    await userEvent.click(screen.getByRole('button', { name: 'Cordon' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ cordoned: true, note: 'fan' }))
    cleanup()
    openApp('/hardware', { ...replies, 'GET /api/session/': { ...SESSION, permissions: ['view', 'plan'] } })
    expect((await screen.findByRole('button', { name: 'Cordon CPU' })).getAttribute('aria-disabled')).toBe('true')
  })

  it('says what to do where no host has reported', async () => {
    openApp('/hardware', { 'GET /api/hosts/': { ...hosts(), kept_here: false } })
    expect(await screen.findByText(/HETEROOPT_DEVICES=0/)).toBeTruthy()
  })
})

describe('operators', () => {
  it('says that a device was not tested yet, and starts its map', async () => {
    const { sent } = openApp('/hardware/operators', {
      'GET /api/hosts/': hosts(HOST),
      'GET /api/operator-maps/': [],
      'POST /api/operator-maps/': { ...MAP, state: 'queued', counts: {} },
    })
    expect(await screen.findByText('Not tested yet: nothing is known of its operators.')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Run the operator map on openvino CPU' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ device: 'd1' }))
  })

  it('shows what a map found, filters by status, and opens the reason', async () => {
    const reason = { code: 'program_refused', says: 'no kernel', case: 'test_gru' }
    const operators = [support('Relu', 'native'), support('GRU', 'unsupported', { passed: 0, failed: 2, reason })]
    openApp('/hardware/operators', {
      'GET /api/hosts/': hosts(HOST),
      'GET /api/operator-maps/': [MAP],
      'GET /api/operator-maps/m1/': { ...MAP, operators, onnx_version: '1', precision: 'model', seconds: 3 },
    })
    await userEvent.selectOptions(await screen.findByLabelText('Status'), 'unsupported')
    expect(screen.queryByRole('button', { name: 'Relu' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'GRU' }))
    expect(screen.getByText(/no kernel/)).toBeTruthy()
    expect(screen.getByText('test_gru')).toBeTruthy()
  })

  it('shows progress with a way to stop', async () => {
    const running = { ...MAP, state: 'running', counts: {}, finished_at: null, progress: { done: 5, total: 201, phase: 'operators' } }
    const { sent } = openApp('/hardware/operators', {
      'GET /api/hosts/': hosts(HOST),
      'GET /api/operator-maps/': [running],
      'POST /api/operator-maps/m1/stop/': running,
    })
    expect((await screen.findByRole('progressbar')).getAttribute('aria-valuenow')).toBe('5')
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
    await waitFor(() => expect(sent.some((one) => one.path === '/api/operator-maps/m1/stop/')).toBe(true))
  })

  it('says that a run waits for a host that fell silent', async () => {
    const running = { ...MAP, state: 'queued', progress: { done: 14, total: 56, phase: 'operators' }, counts: {} }
    openApp('/hardware/operators', { 'GET /api/hosts/': hosts({ ...HOST, alive: false }), 'GET /api/operator-maps/': [running] })
    expect(await screen.findByText(/bench is silent since/)).toBeTruthy()
    expect(screen.getByText('./run worker --host')).toBeTruthy()
  })

  it('says that a run is starting the runtime before it counts', async () => {
    const running = { ...MAP, state: 'running', progress: { done: 0, total: 0, phase: 'start' }, counts: {}, finished_at: null }
    openApp('/hardware/operators', { 'GET /api/hosts/': hosts(HOST), 'GET /api/operator-maps/': [running] })
    expect(await screen.findByText('Starting the runtime')).toBeTruthy()
    expect(screen.getByRole('progressbar').hasAttribute('aria-valuenow')).toBe(false)
  })

  it('filters by name, status and difference', () => {
    const map = (operators: object[]) => ({ operators }) as never
    const rows = mapRows([map([support('Relu', 'native'), support('GRU', 'native')]), map([support('Relu', 'composed'), support('GRU', 'native')])])
    expect(rows.map((row) => row.name)).toEqual(['GRU', 'Relu'])
    const all = { name: '', status: '', differing: false } as const
    expect(filterRows(rows, { ...all, differing: true }).map((row) => row.name)).toEqual(['Relu'])
    expect(filterRows(rows, { ...all, status: 'composed' }).map((row) => row.name)).toEqual(['Relu'])
    expect(filterRows(rows, { ...all, name: 'gr' }).map((row) => row.name)).toEqual(['GRU'])
  })
})

describe('precision', () => {
  const replies = { 'GET /api/hosts/': hosts(HOST), 'GET /api/models/': page(), 'GET /api/precision-runs/': page(RUN) }

  it('says that a comparison waits for a host that fell silent', async () => {
    const running = { ...RUN, state: 'running', finished_at: null, summary: {}, left_id: HOST.runtimes[0]?.devices[0]?.id }
    openApp('/hardware/precision', {
      ...replies, 'GET /api/hosts/': hosts({ ...HOST, alive: false }), 'GET /api/precision-runs/': page(running), 'GET /api/precision-runs/c1/': { ...running, body: null },
    })
    expect(await screen.findByText(/bench is silent since/)).toBeTruthy()
  })

  it('names the first operator that drifts, and what mends it', async () => {
    const rung = (name: string, error: number, within: boolean) => ({ rung: name, scaled_error: error, tolerance: 1e-5, within, reason: null })
    const cases = [
      { key: 'conv1', op_type: 'Conv', status: 'out', scaled_error: 3e-3, tolerance: 4e-6 },
      { key: 'relu1', op_type: 'Relu', status: 'within', scaled_error: 0, tolerance: 4e-6 },
    ]
    const body = {
      cases, ladder: [rung('as_asked', 4e-3, false), rung('fp32', 5e-7, true)], fusion: null, seconds: 1, stopped: false,
      summary: { status: 'out', verdict: 'fp32', first: 'conv1', first_op_type: 'Conv', out: 1, left_ms: 2, right_ms: 1,
        changes: { findings: [{ kind: 'out_of_tolerance', key: 'conv1', side: 'right', before: 0, after: 1 }], mended: [] } },
    }
    openApp('/hardware/precision', { ...replies, 'GET /api/precision-runs/c1/': { ...RUN, body, before: null } })
    expect(await screen.findByText(/The first operator to drift is conv1 \(Conv\)\./)).toBeTruthy()
    expect(screen.getByText(/precision is the cause/)).toBeTruthy()
    expect(screen.getByText('1 out of tolerance or not run now: conv1.')).toBeTruthy()
    expect(screen.getByText('5e-7')).toBeTruthy()
    expect(screen.getByRole('img', { name: /Scaled error of 2 operators/ })).toBeTruthy()
  })

  it('does not offer to compare a device with itself, but with another precision of it', async () => {
    const { sent } = openApp('/hardware/precision', { ...replies, 'GET /api/precision-runs/': page(), 'POST /api/precision-runs/': RUN })
    const button = await screen.findByRole('button', { name: 'Compare' })
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await userEvent.selectOptions(screen.getAllByLabelText('computes in')[1] as HTMLElement, 'bf16')
    await userEvent.click(screen.getByRole('button', { name: 'Compare' }))
    const body = { kind: 'operators', left: 'd1', left_precision: 'model', right: 'd1', right_precision: 'bf16', seed: 0 }
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual(body))
  })

  it('draws the loss of both devices and says at which step they part', async () => {
    const networks = [
      { network: 'conv', status: 'within', steps: 2, largest_difference: 2e-7, first_step_out: null, left_first: 1.5, left_last: 0.5, right_last: 0.5 },
      { network: 'mlp', status: 'out', steps: 2, largest_difference: 3e-3, first_step_out: 1, left_first: 1.25, left_last: 0.75, right_last: 0.625 },
    ]
    const step = (network: string, at: number, difference: number) => ({ key: `${network}/${at}`, network, step: at, left: 1, right: 1, difference })
    const body = {
      kind: 'loss', cases: [step('conv', 0, 0), step('conv', 1, 2e-7), step('mlp', 0, 0), step('mlp', 1, 3e-3)],
      summary: { status: 'out', tolerance: 1e-5, networks }, seconds: 1, stopped: false,
    }
    const run = { ...RUN, kind: 'loss', title: '', model: null, summary: body.summary }
    openApp('/hardware/precision', {
      ...replies, 'GET /api/precision-runs/': page(run), 'GET /api/precision-runs/c1/': { ...run, body, before: null },
    })
    expect(await screen.findByText('The loss of 1 of 2 networks leaves its tolerance.')).toBeTruthy()
    expect(screen.getByText('1 out of tolerance')).toBeTruthy()
    expect(screen.getByText(/First out of tolerance at step 1\. .* from 1\.25 to 0\.75 \(left\) and 0\.625 \(right\)/)).toBeTruthy()
    const [conv, mlp] = screen.getAllByRole('img', { name: 'Loss of both devices over 2 steps, and their difference' })
    expect(conv?.querySelectorAll('.dot.out').length).toBe(0)
    expect(mlp?.querySelectorAll('.dot.out').length).toBe(1)
  })

  it('starts a comparison of training', async () => {
    const { sent } = openApp('/hardware/precision', { ...replies, 'GET /api/precision-runs/': page(), 'POST /api/precision-runs/': RUN })
    await userEvent.selectOptions(await screen.findByLabelText('What'), 'loss')
    await userEvent.selectOptions(screen.getAllByLabelText('computes in')[1] as HTMLElement, 'bf16')
    await userEvent.click(screen.getByRole('button', { name: 'Compare' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toMatchObject({ kind: 'loss', right_precision: 'bf16' }))
  })

  it('leaves out of a curve what is no number', () => {
    expect(lossPath([1, null, 3, 4], (step) => step, (value) => value)).toBe('M0.0 1.0M2.0 3.0L3.0 4.0')
  })

  it('orders operators by what they use of their tolerance, misses first', () => {
    const row = (op_type: string, out: number, share: number | null, within = 1) => ({ op_type, cases: 1, within, out, not_run: 0, scaled_error: 0, share_of_tolerance: share })
    const ordered = worstFirst([row('A', 0, 0.1), row('B', 0, 0.9), row('C', 1, 1.5), row('D', 0, null, 0)])
    expect(ordered.map((one) => one.op_type)).toEqual(['C', 'B', 'A', 'D'])
  })
})

describe('topology', () => {
  it('writes caches of one core beside it and draws what holds several things', () => {
    const node = (id: string, kind: string, parent: string | null): TopologyNode => ({ id, kind, name: id, parent, memory_bytes: null, cpuset: '', attributes: {} })
    const nodes = [
      node('m', 'machine', null), node('l3', 'cache_l3', 'm'), node('l2a', 'cache_l2', 'l3'), node('c0', 'core', 'l2a'),
      node('l2b', 'cache_l2', 'l3'), node('c1', 'core', 'l2b'),
    ]
    const [machine] = boxes({ nodes, links: [], distances: { nodes: [], matrix: [] } })
    const l3 = machine?.inside[0]
    expect(l3?.node.id).toBe('l3')
    expect(l3?.inside.map((box) => [box.around.map(({ id }) => id), box.node.id])).toEqual([[['l2a'], 'c0'], [['l2b'], 'c1']])
  })
})
