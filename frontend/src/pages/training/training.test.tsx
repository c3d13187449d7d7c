// The training pages against a fake server: what the form asks for, files in and out, results, refusals, losses.
import { cleanup, configure, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'

import type { TrainingRequest } from '../../api/training'
import { setLang } from '../../i18n'
import { openApp, page, SESSION } from '../../test/fakeServer'
import { changedGroups, EXAMPLE, fromRequest, toRequest, toToml, type Draft } from './draft'

// Pages are loaded when they are opened, which takes a busy machine more than the usual second.
configure({ asyncUtilTimeout: 10_000 })

afterEach(() => {
  cleanup()
  setLang('en')
  vi.unstubAllGlobals()
})

const WHEN = '2026-01-02T03:04:05Z'
const [H800, H20] = EXAMPLE.groups as [Draft['groups'][0], Draft['groups'][0]]

const READ = {
  name: 'two racks',
  gpu: { H20: { bf16_tflop_per_s: 148, memory_gib: 95.6, fast_link_gb_per_s: 900 } },
  node: [
    { name: 'node 0', gpu: 'H20', gpus: 8, rack: 'a' },
    { name: 'node 1', gpu: 'H20', gpus: 8, rack: 'a' },
    { name: 'spare', gpu: 'H20', gpus: 8, rack: 'b' },
  ],
  network: {
    network_card_gb_per_s: 50,
    level: [{ name: 'rack', uplink_gb_per_s: 100 }],
    background: [{ level: 'rack', group: 'b', share: 0.3 }],
  },
  model: { name: 'llama-7b', layers: 32, hidden: 4096, feed_forward: 11008, heads: 32, key_value_heads: 32, vocabulary: 50304 },
  workload: { sequence: 4096, sequences: 64, schedule: 'gpipe', zero1: false, least_pipelines: 2 },
} as unknown as TrainingRequest

const BRIEF = {
  id: 'p1', name: 'two racks', created_at: WHEN, created_by: null, state: 'done', model: 'llama-7b', lost: [] as number[], step_s: 4.25,
}
const RESULT = {
  step_s: 4.25,
  homogeneous: false,
  pipelines: [
    {
      micro_batches: 2,
      finish_s: 4,
      stages: [{ gpu: 'H20', gpus: [0, 1, 2, 3], layers: 32, micro_batch_s: 0.5, busy_share: 0.75 }],
      slots: [[0, 0, 1, 0, 1], [0, 0, 0, 1, 3]],
    },
  ],
  links: [{ level: 'network_card', name: 'GPU 3', outward: true, seconds: 0.25 }],
  best_homogeneous: { pipelines: 2, stages: 3, degree: 4, step_s: 8.5 },
  moved: null,
}
const PLAN = { ...BRIEF, request: READ, before: null, job: null, share: 1, error: null, result: RESULT }

describe('the form as a request', () => {
  it('keeps names, background traffic and levels of what was read', () => {
    const draft = fromRequest(READ)
    expect(draft.groups.map(({ nodes, names, places }) => ({ nodes, names, places }))).toEqual([
      { nodes: '2', names: [], places: ['a'] },
      { nodes: '1', names: ['spare'], places: ['b'] },
    ])
    const again = toRequest(draft)
    expect(again.node).toEqual([
      { gpu: 'H20', gpus: 8, rack: 'a', count: 2 },
      { name: 'spare', gpu: 'H20', gpus: 8, rack: 'b' },
    ])
    expect(again.network).toEqual(READ.network)
    expect(again.workload).toEqual(READ.workload)
    expect(again.model).toEqual({ preset: 'llama-7b' })
  })

  it('keeps the name and the measures of a custom model', () => {
    const model = { ...(READ.model as object), name: 'mine', layers: 3 }
    const draft = fromRequest({ ...READ, model })
    expect([draft.preset, draft.modelName]).toEqual(['custom', 'mine'])
    expect(toRequest(draft).model).toEqual(model)
    expect(toRequest({ ...draft, modelName: ' ' }).model).toEqual({ ...model, name: 'custom' })
  })

  it('keeps degrees and numbers of pipelines that a file asks for', () => {
    const some = { pipelines: 4, least_pipelines: 3, degrees: [4, 8] }
    const read = { ...READ, workload: { ...(READ.workload as object), ...some } } as TrainingRequest
    const draft = fromRequest(read)
    expect(toRequest(draft).workload).toEqual(read.workload)
    expect(toRequest({ ...draft, several: false, rest: {} }).workload).not.toHaveProperty('pipelines')
  })

  it('gives more nodes than names have the names first', () => {
    const draft = fromRequest(READ)
    const more = { ...draft, groups: draft.groups.map((one) => ({ ...one, nodes: '3' })) }
    expect(toRequest(more).node.slice(1)).toEqual([
      { name: 'spare', gpu: 'H20', gpus: 8, rack: 'b' },
      { gpu: 'H20', gpus: 8, rack: 'b', count: 2 },
    ])
  })

  it('keeps the figures of one GPU type the same in all its groups', () => {
    const both = [H800, { ...H20, gpu: 'H800x' }, H800]
    expect(changedGroups(both, 0, { memory: '141' }).map((one) => one.memory)).toEqual(['141', '95.6', '141'])
    const renamed = changedGroups([H800, H20], 1, { gpu: 'H800' })[1]
    expect([renamed?.tflops, renamed?.memory, renamed?.fast]).toEqual(['990', '79.6', '400'])
  })

  it('writes TOML whose strings and names are quoted', () => {
    const text = toToml({ ...toRequest(EXAMPLE), name: 'a "b"' })
    expect(text).toContain('name = "a \\"b\\""')
    expect(text).toContain('[gpu."H800"]\nbf16_tflop_per_s = 990\n')
    expect(text).toContain('[[node]]\ngpu = "H20"\ngpus = 8\ncount = 4\n')
  })
})

describe('the pages', () => {
  it('sends the form, background traffic included, and opens the plan', async () => {
    const user = userEvent.setup()
    const { sent, where } = openApp('/training', {
      'GET /api/training-plans/': page(),
      'POST /api/training-plans/': PLAN,
      'GET /api/training-plans/p1/': PLAN,
    })
    const traffic = await screen.findByRole('button', { name: 'Add background traffic' })
    expect(traffic.getAttribute('aria-disabled')).toBe('true')
    await user.click(screen.getByRole('button', { name: 'Add level' }))
    await user.click(screen.getByRole('button', { name: 'Add background traffic' }))
    await user.selectOptions(screen.getByLabelText('Uplink of'), 'H20')
    await user.clear(screen.getByLabelText('Takes'))
    await user.type(screen.getByLabelText('Takes'), '25')
    await user.click(screen.getByRole('button', { name: 'Plan' }))
    await waitFor(() => expect(where()).toBe('/training/p1'))
    const { request } = sent.find((one) => one.method === 'POST')?.body as { request: TrainingRequest }
    expect(request.network).toEqual({
      network_card_gb_per_s: 50,
      level: [{ name: 'rack', uplink_gb_per_s: 100 }],
      background: [{ level: 'rack', group: 'H20', share: 0.25 }],
    })
    expect(request.node).toEqual([
      { gpu: 'H800', gpus: 8, count: 2, rack: 'H800' },
      { gpu: 'H20', gpus: 8, count: 4, rack: 'H20' },
    ])
  })

  it('shows stages, the homogeneous plan and links, and asks for a loss by number', async () => {
    const user = userEvent.setup()
    const after = { ...PLAN, id: 'p2', lost: [23], before: 'p1', result: null, state: 'failed', error: { code: 'shards_lost', message: 'Gone.', hint: '', params: {} } }
    const { sent, where } = openApp('/training/p1', {
      'GET /api/training-plans/p1/': PLAN,
      'POST /api/training-plans/p1/lose/': after,
      'GET /api/training-plans/p2/': after,
    })
    expect(await screen.findByText(/^2(\.0+)? times as fast \(simulated\)/)).toBeTruthy()
    expect(screen.getByRole('listitem', { name: /H20, GPU 0.*3, tensor parallel 4: 32 layers, 500 ms a micro-batch \(simulated\), busy 75\s?%/ })).toBeTruthy()
    expect(screen.getByText('network card GPU 3, out')).toBeTruthy()
    const section = screen.getByRole('region', { name: 'What if' })
    expect(within(section).getByLabelText<HTMLSelectElement>('GPU').value).toBe('23')
    await user.click(within(section).getByRole('button', { name: 'Lose this GPU' }))
    await waitFor(() => expect(where()).toBe('/training/p2'))
    expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ gpus: [23] })
    expect(await screen.findByRole('link', { name: 'Plan before' })).toBeTruthy()
  })

  it('puts the homogeneous plan beside a plan after a loss, too', async () => {
    const moved = { lost: [3], before_step_s: 4, moved_bytes: 2e9, send_s: 0.5, bound_s: 0.4, point_to_point_s: 0.9, links: [] }
    openApp('/training/p1', { 'GET /api/training-plans/p1/': { ...PLAN, lost: [3], result: { ...RESULT, moved } } })
    expect(await screen.findByText(/sends by their owners take at least 0\.4\d* s/)).toBeTruthy()
    expect(screen.getByText(/^2(\.0+)? times as fast \(simulated\)/)).toBeTruthy()
  })

  it('lets a viewer look, not plan, in Chinese too', async () => {
    setLang('zh')
    openApp('/training', {
      'GET /api/session/': { ...SESSION, permissions: ['view'] },
      'GET /api/training-plans/': page(BRIEF),
    })
    const plan = await screen.findByRole('button', { name: '规划' })
    await waitFor(() => expect(plan.getAttribute('aria-disabled')).toBe('true'))
    const row = (await screen.findByRole('link', { name: 'two racks' })).closest('tr')
    expect(row && within(row).getByText('完成')).toBeTruthy()
    expect(row && within(row).getByText('4.25 秒')).toBeTruthy()
  })
})
