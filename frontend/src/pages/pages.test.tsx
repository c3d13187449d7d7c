// The pages against a fake server: what people see in each state, and what their actions send.
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { setLang } from '../i18n'
import { MODEL, openApp, page, POOL, Refusal, SEARCH, SESSION } from '../test/fakeServer'

vi.mock('../explorer/ExplorerPage', () => ({
  default: ({ searchId }: { searchId: string }) => <main>explorer of {searchId}</main>,
}))

afterEach(() => {
  cleanup()
  setLang('en')
  vi.unstubAllGlobals()
})

describe('the shell', () => {
  it('says how to sign in when there is no session, and hides the navigation', async () => {
    openApp('/', { 'GET /api/session/': { ...SESSION, user: null, team: null, permissions: [] } })
    expect(await screen.findByRole('heading', { name: 'Sign in to continue' })).toBeTruthy()
    expect(screen.getByText('./run signin_url')).toBeTruthy()
    expect(screen.queryByRole('navigation')).toBeNull()
  })

  it('switches every text and the language of the document at once', async () => {
    openApp('/')
    await userEvent.click(await screen.findByRole('button', { name: 'Language: switch to Chinese' }))
    expect(await screen.findByRole('heading', { name: '工作区' })).toBeTruthy()
    expect(document.documentElement.lang).toBe('zh-CN')
  })

  it('has a page for an address that leads nowhere, and for an object of another team', async () => {
    openApp('/nowhere')
    expect(await screen.findByRole('heading', { name: 'Nothing at this address' })).toBeTruthy()
    cleanup()
    openApp('/models/of-others')
    expect(await screen.findByRole('heading', { name: 'Nothing at this address' })).toBeTruthy()
  })
})

describe('the workspace', () => {
  it('starts the sample search and opens it at once', async () => {
    const { sent, where } = openApp('/', { 'POST /api/searches/sample/': SEARCH })
    expect(await screen.findByText('No searches yet')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Run sample search' }))
    expect(await screen.findByText('explorer of s1')).toBeTruthy()
    expect(where()).toBe('/searches/s1')
    expect(sent.filter((one) => one.method === 'POST')).toHaveLength(1)
  })

  it('says why the sample search could not start, where the button is', async () => {
    openApp('/', { 'POST /api/searches/sample/': new Refusal(409, 'samples_missing') })
    await userEvent.click(await screen.findByRole('button', { name: 'Run sample search' }))
    expect((await screen.findByRole('alert')).textContent).toContain('The sample model or the sample pool was deleted')
  })

  it('lists searches with their multiples, and lets a viewer change nothing', async () => {
    const done = { ...SEARCH, state: 'done', n_plans: 128, best: { exec_time_x: 0.632, energy_x: null } }
    openApp('/', {
      'GET /api/session/': { ...SESSION, permissions: ['view'] },
      'GET /api/searches/': page(done),
    })
    const row = (await screen.findByRole('link', { name: /tiny, Open search 7/ })).closest('tr')
    expect(row?.textContent).toContain('× 0.63–')
    expect(screen.queryByRole('button', { name: 'Actions for search 7' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Run sample search' }).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('a model', () => {
  it('that was refused says why by its code, in both languages', async () => {
    const error = { code: 'model_empty', message: 'The file is empty.', hint: '', params: {} }
    openApp('/models/m1', { 'GET /api/models/m1/': { ...MODEL, state: 'refused', summary: null, error } })
    expect(await screen.findByRole('heading', { name: 'tiny.onnx was refused' })).toBeTruthy()
    expect(screen.getByText('The model has no operators')).toBeTruthy()
    setLang('zh')
    expect(await screen.findByText('模型没有算子')).toBeTruthy()
  })

  it('is planned on the chosen pool with the settings of the form', async () => {
    const { sent, where } = openApp('/models/m1', {
      'GET /api/models/m1/': MODEL,
      'GET /api/models/m1/operators/': { count: 0, results: [] },
      'GET /api/pools/': page(POOL, { ...POOL, id: 'p2', name: 'Edge' }),
      'POST /api/searches/': SEARCH,
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Plan this model' }))
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.click(await dialog.findByRole('radio', { name: /Edge/ }))
    const generations = dialog.getByLabelText('Generations')
    await userEvent.clear(generations)
    await userEvent.click(dialog.getByRole('button', { name: 'Start search' }))
    expect(dialog.getByText('A whole number from 1 to 10,000')).toBeTruthy()
    expect(sent.some((one) => one.method === 'POST')).toBe(false)
    await userEvent.type(generations, '30')
    await userEvent.click(dialog.getByRole('button', { name: 'Start search' }))
    await waitFor(() => expect(where()).toBe('/searches/s1'))
    expect(sent.find((one) => one.method === 'POST')?.body).toEqual({
      model: 'm1',
      pool: 'p2',
      settings: { fuse: true, generations: 30, seed: 0, makespan_cap: 2 },
    })
  })

  it('is planned for the objectives and within the bounds of the form', async () => {
    const objective = (key: string, unit: string, direction: string, needs = 'decode', annealing = 'value') => ({ key, name: key, unit, direction, needs, normalise: 'reference', annealing })
    const { sent, where } = openApp('/models/m1', {
      'GET /api/models/m1/': MODEL,
      'GET /api/models/m1/operators/': { count: 0, results: [] },
      'GET /api/pools/': page(POOL),
      'GET /api/objectives/': [
        objective('exec_time_ms', 'ms', 'min'),
        objective('energy_j', 'J', 'min'),
        objective('load_balance', '', 'min'),
        objective('throughput_per_s', '1/s', 'max'),
        objective('latency_p99_ms', 'ms', 'min', 'arrivals'),
        objective('peak_memory_bytes', 'bytes', 'min'),
        objective('noise_db', 'dB', 'min', 'decode', 'none'),
      ],
      'POST /api/searches/': SEARCH,
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Plan this model' }))
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.selectOptions(await dialog.findByLabelText('Objective 2'), 'Throughput ↑')
    expect(dialog.queryByRole('note')).toBeNull()
    await userEvent.selectOptions(dialog.getByLabelText('Objective 3'), 'noise_db')
    expect(dialog.getByRole('note').textContent).toContain('noise_db: measured by a plugin')
    await userEvent.selectOptions(dialog.getByLabelText('Objective 3'), 'none')
    await userEvent.selectOptions(dialog.getByLabelText('Add a bound'), 'Peak memory')
    await userEvent.type(dialog.getByLabelText('Peak memory MB, at most'), 'much')
    await userEvent.click(dialog.getByRole('button', { name: 'Start search' }))
    expect(dialog.getByRole('alert').textContent).toBe('Not a number')
    expect(sent.some((one) => one.method === 'POST')).toBe(false)
    await userEvent.clear(dialog.getByLabelText('Peak memory MB, at most'))
    await userEvent.type(dialog.getByLabelText('Peak memory MB, at most'), '512')
    // What is simulated with arrivals can be chosen with their rate, which must stay then.
    expect(dialog.queryByRole('option', { name: 'P99 latency' })).toBeNull()
    await userEvent.type(dialog.getByLabelText('Arrival rate'), '80')
    await userEvent.selectOptions(dialog.getByLabelText('Objective 3'), 'P99 latency')
    await userEvent.clear(dialog.getByLabelText('Arrival rate'))
    await userEvent.click(dialog.getByRole('button', { name: 'Start search' }))
    expect(dialog.getByText('P99 latency needs an arrival rate')).toBeTruthy()
    await userEvent.type(dialog.getByLabelText('Arrival rate'), '80')
    await userEvent.click(dialog.getByRole('button', { name: 'Start search' }))
    await waitFor(() => expect(where()).toBe('/searches/s1'))
    expect(sent.find((one) => one.method === 'POST')?.body).toMatchObject({
      settings: {
        objectives: ['exec_time_ms', 'throughput_per_s', 'latency_p99_ms'],
        constraints: [{ objective: 'peak_memory_bytes', min: null, max: 512_000_000 }],
        arrival_rate_per_s: 80,
      },
    })
  })

  it('takes numbers for its dynamic dimensions', async () => {
    const { sent } = openApp('/models/m1', {
      'GET /api/models/m1/': MODEL,
      'GET /api/models/m1/operators/': { count: 0, results: [] },
      'POST /api/models/m1/bind/': MODEL,
    })
    const input = await screen.findByLabelText(/^N/)
    await userEvent.clear(input)
    await userEvent.type(input, '0')
    await userEvent.click(screen.getByRole('button', { name: 'Bind' }))
    expect(screen.getByText('A whole number from 1')).toBeTruthy()
    await userEvent.clear(input)
    await userEvent.type(input, '32')
    await userEvent.click(screen.getByRole('button', { name: 'Bind' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ dims: { N: 32 } }))
  })
})

describe('the graph of a model', () => {
  const TENSOR = { dtype: 'float32', shape: [1, 64, 56, 56], size_bytes: 802_816, size_source: 'inferred' }
  const conv = { index: 0, name: 'conv1' }
  const relu = { index: 1, name: 'relu1' }
  const LINK = { ...TENSOR, name: 'c', producer: conv, n_consumers: 1, consumers: [relu], is_output: false }
  const x = { ...LINK, name: 'x', producer: null, consumers: [conv] }
  const y = { ...LINK, name: 'y', producer: relu, n_consumers: 0, consumers: [], is_output: true }
  const operator = { op_class: 'conv', scope: '', flops: 2e6, flops_source: 'exact', bytes_read: 1, bytes_written: 1, workspace_bytes: 0, precision: 'fp32', is_view: false, predecessors: [] }
  const OPERATORS = {
    count: 2,
    results: [
      { ...operator, ...conv, op_type: 'Conv', n_initializers: 2, parameters: 9408, weight_bytes: 37_632, n_inputs: 1, inputs: [x], n_outputs: 1, outputs: [LINK] },
      { ...operator, ...relu, workspace_bytes: 2048, op_type: 'Relu', n_initializers: 0, parameters: 0, weight_bytes: 0, n_inputs: 40, inputs: [LINK], n_outputs: 1, outputs: [y] },
    ],
  }
  const EDGES = { count: 1, results: [{ index: 0, source: conv, target: relu, tensor: { ...TENSOR, name: 'c' } }] }
  const open = () => {
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400)
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1000)
    return openApp('/models/m1', {
      'GET /api/models/m1/': MODEL,
      'GET /api/models/m1/operators/': OPERATORS,
      'GET /api/models/m1/edges/': EDGES,
    })
  }

  it('opens an operator by click or Enter and shows the tensors at its ends', async () => {
    open()
    const button = await screen.findByRole('button', { name: 'relu1', expanded: false })
    button.focus()
    await userEvent.keyboard('{Enter}')
    expect(screen.getByRole('button', { name: 'relu1', expanded: true })).toBeTruthy()
    const read = screen.getByText('from conv1').closest('li')
    expect(read?.textContent).toBe('from conv1float32 1 × 64 × 56 × 56803 KBinferredc')
    expect(screen.getByText('39 more tensors')).toBeTruthy()
    expect(screen.getByText('output of the model')).toBeTruthy()
    await userEvent.click(screen.getByText('Conv', { selector: '[role=cell]' }))
    expect(screen.getByText('an input of the model')).toBeTruthy()
    expect(screen.getByText('to relu1')).toBeTruthy()
    expect(screen.getByText('2 weight tensors, 9,408 parameters, 37.6 KB')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'conv1' }))
    expect(screen.getByRole('button', { name: 'conv1', expanded: false })).toBeTruthy()
    expect(screen.queryByText('to relu1')).toBeNull()
  })

  it('lists its edges', async () => {
    open()
    await userEvent.click(await screen.findByRole('button', { name: 'Edges' }))
    const cells = (await screen.findByText('relu1')).closest('[role=row]')
    expect([...(cells?.children ?? [])].map((cell) => cell.textContent)).toEqual([
      '1', 'conv1', 'relu1', 'c', '1 × 64 × 56 × 56', 'float32', '803 KB', 'inferred',
    ])
  })

  it('of tables shows no zeros for what the tables leave out', async () => {
    const summary = MODEL.summary && { ...MODEL.summary, flops: 0, parameters: 0, weight_bytes: 0 }
    openApp('/models/m1', {
      'GET /api/models/m1/': { ...MODEL, kind: 'tables', summary },
      'GET /api/models/m1/operators/': { count: 0, results: [] },
    })
    const figures = await screen.findAllByTitle('Unknown: tables give the costs of operators on devices instead.')
    expect(figures).toHaveLength(3)
    expect(figures[0]?.querySelector('dd')?.textContent).toMatch(/^–/)
  })
})

describe('a pool', () => {
  const VALID = { valid: true, errors: [], spec: POOL.spec, devices: POOL.devices, notes: [] }

  it('shows the complaint of the server at the field, and saves once it is corrected', async () => {
    const complaint = { field: 'devices.0.active_power_w', code: 'power_order', message: 'x', params: {} }
    const { sent } = openApp('/pools/p1', {
      'GET /api/pools/p1/': POOL,
      'POST /api/pools/validate/': ({ body }) => {
        const idle = (body as { spec: typeof POOL.spec }).spec.devices[0]?.idle_power_w ?? 0
        return idle > 400 ? { ...VALID, valid: false, errors: [complaint] } : VALID
      },
      'PUT /api/pools/p1/': ({ body }) => ({ ...POOL, version: 2, spec: (body as { spec: object }).spec }),
    })
    await userEvent.click(await screen.findByRole('button', { name: /gpu0/, expanded: false }))
    const idle = screen.getByLabelText('Idle power')
    await userEvent.clear(idle)
    await userEvent.type(idle, '900')
    expect(await screen.findByText('Active power is below idle power', {}, { timeout: 3000 })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true')
    await userEvent.clear(idle)
    await userEvent.type(idle, '60')
    await waitFor(() => expect(screen.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBeNull(), {
      timeout: 3000,
    })
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await screen.findByText(/version 2/)
    const put = sent.find((one) => one.method === 'PUT')?.body as { spec: typeof POOL.spec }
    expect(put.spec.devices[0]).toMatchObject({
      idle_power_w: 60,
      sources: { idle_power_w: 'entered in the pool editor' },
    })
  })

  it('that is a sample can only be duplicated', async () => {
    const { sent, where } = openApp('/pools/p1', {
      'GET /api/pools/p1/': { ...POOL, is_sample: true },
      'GET /api/pools/p2/': { ...POOL, id: 'p2', name: 'Rack copy' },
      'POST /api/pools/validate/': VALID,
      'POST /api/pools/': { ...POOL, id: 'p2', name: 'Rack copy' },
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Duplicate to edit' }))
    await waitFor(() => expect(where()).toBe('/pools/p2'))
    const made = sent.find((one) => one.path === '/api/pools/' && one.method === 'POST')?.body
    expect(made).toMatchObject({ spec: { name: 'Rack copy' } })
  })
})
