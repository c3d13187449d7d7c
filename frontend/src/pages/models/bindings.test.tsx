// Bindings on the model page, what the file leaves open, and the binding that a search takes.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import { MODEL, POOL, SEARCH, openApp, page } from '../../test/fakeServer'
import type { Model } from '../../api/types'

const BINDINGS = [
  { id: 'b1', name: 'batch 1', dims: { N: 1 }, given: {}, graph_hash: 'g1', n_operators: 2, flops: 2000, activation_bytes: 80, is_used: true, created_at: '2026-01-02T03:04:05Z' },
  { id: 'b32', name: 'batch 32', dims: { N: 32 }, given: {}, graph_hash: 'g2', n_operators: 2, flops: 64_000, activation_bytes: 80, is_used: false, created_at: '2026-01-02T03:04:05Z' },
]
const BOUND: Model = { ...MODEL, bindings: BINDINGS }
const OPEN: Model = {
  ...MODEL,
  given: { shapes: { kept: [1] } },
  summary: MODEL.summary && {
    ...MODEL.summary,
    questions: {
      shapes: [{ tensor: 'h', operator: 'magic', op_type: 'Magic', reason: 'shape_unknown', size_bytes: 32, shape: null }],
      trips: [{ operator: 'loop', assumed: 1, is_given: false, is_bound: false }],
      branches: [{ operator: 'choice', then_share: null }],
      operators: [{ key: 'com.example::Magic', count: 2, is_given: false, operators: ['magic'] }],
    },
  },
}

function open(model: Model, replies: Record<string, object> = {}) {
  return openApp('/models/m1', {
    'GET /api/models/m1/': model,
    'GET /api/models/m1/operators/': { count: 0, results: [] },
    ...replies,
  })
}

describe('bindings', () => {
  it('are listed, chosen and deleted', async () => {
    const { sent } = open(BOUND, {
      'POST /api/models/m1/bindings/b32/': BOUND,
      'DELETE /api/models/m1/bindings/b1/': {},
    })
    const part = within(await screen.findByRole('region', { name: 'Bindings' }))
    expect(part.getAllByRole('listitem')).toHaveLength(2)
    expect(part.queryByRole('button', { name: 'Show batch 1' })).toBeNull()
    await userEvent.click(part.getByRole('button', { name: 'Show batch 32' }))
    await waitFor(() => expect(sent.some((one) => one.method === 'POST' && one.path.endsWith('/bindings/b32/'))).toBe(true))
    await userEvent.click(part.getByRole('button', { name: 'Delete the binding batch 1' }))
    await waitFor(() => expect(sent.some((one) => one.method === 'DELETE')).toBe(true))
  })

  it('keep what is shown under a name', async () => {
    const { sent } = open(MODEL, { 'POST /api/models/m1/bindings/': BOUND })
    await userEvent.type(await screen.findByLabelText('Keep these sizes as'), 'batch 1')
    await userEvent.click(screen.getByRole('button', { name: 'Keep' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ name: 'batch 1' }))
  })

  it('are picked for a search', async () => {
    const { sent } = open(BOUND, { 'GET /api/pools/': page(POOL), 'POST /api/searches/': SEARCH })
    await userEvent.click(await screen.findByRole('button', { name: 'Plan this model' }))
    const dialog = within(await screen.findByRole('dialog'))
    await dialog.findByRole('radio', { name: /Rack/ })
    await userEvent.selectOptions(dialog.getByLabelText('Dimensions'), 'batch 32')
    await userEvent.click(dialog.getByRole('button', { name: 'Start search' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toMatchObject({ model: 'm1', binding: 'b32', pool: 'p1' }))
  })
})

describe('what the file leaves open', () => {
  it('is asked for with how it is counted, and read again with the answers', async () => {
    const { sent } = open(OPEN, { 'POST /api/models/m1/bind/': MODEL })
    const part = within(await screen.findByRole('region', { name: 'What the file leaves open' }))
    expect(part.getByText(/counted as 32 B/)).toBeTruthy()
    expect(part.getByText('counted as 1 round')).toBeTruthy()
    await userEvent.type(part.getByLabelText('h'), 'wide')
    await userEvent.click(part.getByRole('button', { name: 'Apply and read again' }))
    expect(part.getByText('Sizes such as 1 x 3 x 224, or scalar')).toBeTruthy()
    expect(sent.some((one) => one.method === 'POST')).toBe(false)
    await userEvent.clear(part.getByLabelText('h'))
    await userEvent.type(part.getByLabelText('h'), '2 x 10')
    await userEvent.type(part.getByLabelText('loop'), '20')
    await userEvent.type(part.getByLabelText('choice'), '0.25')
    await userEvent.type(part.getByLabelText('FLOP'), '5000')
    await userEvent.click(part.getByRole('button', { name: 'Apply and read again' }))
    await waitFor(() =>
      expect(sent.find((one) => one.method === 'POST')?.body).toEqual({
        dims: { N: 1 },
        given: {
          shapes: { kept: [1], h: [2, 10] },
          trips: { loop: 20 },
          then_shares: { choice: 0.25 },
          costs: { 'com.example::Magic': { flops: 5000 } },
        },
      }),
    )
  })

  it('says what was wrong with an answer', async () => {
    const error = { code: 'given_unknown', message: 'm', hint: '', params: { kind: 'shapes', names: ['nothing'] } }
    open({ ...OPEN, error })
    expect(await screen.findByText('The model has nothing that answers to these names: nothing')).toBeTruthy()
  })
})
