// Renders the whole application against a fake server, for tests of pages.
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import { vi } from 'vitest'

import type { DeviceRef, Model, Pool, Search, Session } from '../api/types'
import { makeQueryClient } from '../app/queryClient'
import { routes } from '../app/router'

export const SESSION: Session = {
  user: { id: 'u', name: 'Alice', initials: 'A' },
  team: { id: 't', name: 'Team', role: 'owner' },
  teams: [{ id: 't', name: 'Team', role: 'owner' }],
  permissions: ['view', 'comment', 'plan', 'approve', 'manage'],
  version: '0.1.0',
  csrf_token: 'token',
  max_upload_bytes: 1,
}

const DEVICES: DeviceRef[] = [
  { name: 'gpu0', tag: 'G0', slot: 1, display_name: 'A100 40G', device_type: 'GPU' },
  { name: 'cpu0', tag: 'C0', slot: 2, display_name: 'Xeon 8480', device_type: 'CPU' },
]

export const MODEL: Model = {
  id: 'm1',
  name: 'tiny',
  kind: 'onnx',
  file_name: 'tiny.onnx',
  size_bytes: 1000,
  sha256: 'ab'.repeat(32),
  content_hash: 'ab'.repeat(32),
  files: [],
  state: 'ready',
  error: null,
  job: null,
  is_sample: true,
  created_at: '2026-01-02T03:04:05Z',
  created_by: null,
  dims: { N: 1 },
  dynamic_dims: [{ name: 'N', default: 1, used_by: ['x[0]'] }],
  given: {},
  bindings: [],
  summary: {
    n_operators: 2,
    n_edges: 1,
    n_schedulable: 1,
    op_types: { Conv: 1, Relu: 1 },
    parameters: 10,
    weight_bytes: 40,
    flops: 2000,
    activation_bytes: 80,
    opset: 17,
    ir_version: 9,
    inputs: [{ name: 'x', dtype: 'float32', shape: ['N', 3] }],
    outputs: [{ name: 'y', dtype: 'float32', shape: null }],
    dynamic_dims: [],
    n_estimated_tensors: 0,
    estimated_tensors: [],
    notes: [],
    questions: { shapes: [], trips: [], branches: [], operators: [] },
    graph_hash: 'g1',
  },
}

export const POOL: Pool = {
  id: 'p1',
  name: 'Rack',
  spec: {
    name: 'Rack',
    devices: [
      { name: 'gpu0', device_type: 'GPU', display_name: 'A100 40G', peak_gflop_per_s: { fp16: 312000 }, memory_size_bytes: 40e9, idle_power_w: 50, active_power_w: 400 },
      { name: 'cpu0', device_type: 'CPU', display_name: 'Xeon 8480', peak_gflop_per_s: { fp32: 7000 }, memory_size_bytes: 256e9, idle_power_w: 110, active_power_w: 350 },
    ],
    links: [{ source: 'gpu0', target: 'cpu0', link_class: 'PCIe', bandwidth_gb_per_s: 24, latency_us: 10 }],
  },
  devices: DEVICES,
  notes: [],
  calibrations: {},
  profiles: {},
  pool_hash: 'cd'.repeat(32),
  version: 1,
  is_sample: false,
  created_at: '2026-01-02T03:04:05Z',
  awaited: {},
  host: null,
  created_by: null,
}

export const SEARCH = {
  id: 's1',
  number: 7,
  state: 'queued',
  outcome: 'queued',
  generation: 0,
  generations: 200,
  n_plans: 0,
  best: null,
  front_revision: 0,
  created_at: '2026-01-02T03:04:05Z',
  model: { id: 'm1', name: 'tiny', n_operators: 2 },
  pool: { id: 'p1', name: 'Rack', is_sample: false, version: 1, devices: DEVICES },
} as unknown as Search

export function page<T>(...results: T[]) {
  return { count: results.length, next: null, previous: null, results }
}

export interface Sent {
  method: string
  path: string
  body: unknown
}

type Reply = object | ((sent: Sent) => object)

/** A reply of the fake server that is an error. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly params: Record<string, unknown> = {},
  ) {}
}

const EMPTY: Record<string, Reply> = {
  'GET /api/session/': SESSION,
  'GET /api/models/': page(),
  'GET /api/pools/': page(),
  'GET /api/pools/machines/': [],
  'GET /api/searches/': page(),
  'GET /api/templates/': [],
  'GET /api/calibrations/': page(),
  'GET /api/reviews/': page(),
  'GET /api/notifications/unread/': { unread: 0 },
  'GET /api/team/members/': [],
  'GET /api/hosts/': { hosts: [], shared: false, kept_here: true },
}

/** Opens `path` of the application; `replies` are keyed by method and path. Returns what was sent. */
export function openApp(path: string, replies: Record<string, Reply> = {}) {
  const known = { ...EMPTY, ...replies }
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const url = new URL(request.url)
    const text = await request.text()
    const one: Sent = { method: request.method, path: url.pathname, body: text ? (JSON.parse(text) as unknown) : null }
    sent.push(one)
    const reply = known[`${one.method} ${one.path}`] ?? new Refusal(404, 'not_found')
    const body = typeof reply === 'function' ? (reply as (sent: Sent) => object)(one) : reply
    if (body instanceof Refusal) {
      const error = { code: body.code, message: 'From the server.', hint: '', params: body.params }
      return Response.json({ error }, { status: body.status })
    }
    return Response.json(body)
  })
  vi.stubGlobal('scrollTo', () => undefined)
  const router = createRouter({ ...routes, history: createMemoryHistory({ initialEntries: [path] }) })
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { sent, where: () => router.state.location.pathname }
}
