// The proof of the lower bound: offered to planners, shown as it rises, refused in words.
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'

import { renderExplorer, stubScreen } from './harness'

const NONE = { job: null, state: 'none', limit_s: null, status: null, exec_time_ms: null, lower_bound_ms: null, gap: null, seconds: null, error: null }
const RUNNING = { ...NONE, job: 'j', state: 'running', limit_s: 90, status: 'running', exec_time_ms: 2, lower_bound_ms: 0.00001, gap: 1, seconds: 3 }

function serve(answer: (request: Request) => [number, unknown]) {
  vi.stubGlobal('fetch', (request: Request) => {
    const [status, body] = answer(request)
    return Promise.resolve(new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } }))
  })
}

beforeEach(stubScreen)

it('starts a proof and shows how far it has come', async () => {
  const sent: string[] = []
  serve((request) => {
    if (request.method === 'POST') sent.push(new URL(request.url).pathname)
    return [200, sent.length ? RUNNING : NONE]
  })
  await renderExplorer({ permissions: ['view', 'plan'] })
  await userEvent.click(await screen.findByRole('button', { name: 'Prove' }))
  await screen.findByText(/bound .* 3 s/)
  await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
  await waitFor(() => expect(sent).toHaveLength(2))
  expect(sent[0]).toMatch(/\/prove\/$/)
  expect(sent[1]).toBe('/api/jobs/j/stop/')
})

it('says why a proof cannot be had', async () => {
  serve((request) =>
    request.method === 'POST'
      ? [409, { error: { code: 'proof_unavailable', message: 'x', hint: '', params: {} } }]
      : [200, NONE],
  )
  await renderExplorer({ permissions: ['view', 'plan'] })
  await userEvent.click(await screen.findByRole('button', { name: 'Prove' }))
  await screen.findByText(/Proofs need the package ortools/)
})

it('offers nothing to those who only look', async () => {
  serve(() => [200, NONE])
  await renderExplorer()
  expect(screen.queryByText('Proof')).toBeNull()
})
