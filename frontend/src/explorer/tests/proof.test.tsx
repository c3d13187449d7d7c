// The proof of the lower bound: offered to planners, shown as it rises, refused in words.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'

import { front, plan } from './fixture'
import { renderExplorer, stubScreen } from './harness'

const NONE = { job: null, state: 'none', limit_s: null, status: null, exec_time_ms: null, lower_bound_ms: null, gap: null, seconds: null, plan: null, error: null }
const RUNNING = { ...NONE, job: 'j', state: 'running', limit_s: 90, status: 'running', exec_time_ms: 2, lower_bound_ms: 0.00001, gap: 1, seconds: 3 }

function serve(answer: (request: Request) => [number, unknown]) {
  vi.stubGlobal('fetch', (request: Request) => {
    const reviews = new URL(request.url).pathname.startsWith('/api/reviews')
    const [status, body] = reviews ? [200, { results: [] }] : answer(request)
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

const FOUND = { hash: 'f'.repeat(64), exec_time_ms: 0.35, number: null, addable: true, reason: null }
const ENDED = { ...RUNNING, state: 'done', status: 'feasible', lower_bound_ms: 0.3, plan: FOUND }

it("adds the solver's plan to the front and chooses it", async () => {
  const sent: unknown[] = []
  const joined = { ...front, revision: 4, plans: [...front.plans, { ...plan(7, 0.35, 0.09, 0.2), hash: FOUND.hash, from_solver: true }] }
  serve((request) => {
    const { pathname } = new URL(request.url)
    if (request.method === 'POST') {
      void request.json().then((body) => sent.push(pathname, body))
      return [201, { number: 7, hash: FOUND.hash, revision: 4 }]
    }
    if (pathname.endsWith('/front/')) return [200, joined]
    return [200, ENDED]
  })
  const { replaceFront, history } = await renderExplorer({ permissions: ['view', 'plan'] })
  await userEvent.click(await screen.findByRole('button', { name: "Add the solver's plan to the front" }))
  await waitFor(() => expect(sent).toEqual([expect.stringMatching(/\/proof\/plan\/$/), { job: 'j' }]))
  await waitFor(() => expect(history.location.search).toContain('a=ffffffffffff'))
  replaceFront(joined)
  expect(screen.getByTestId('explorer').dataset.plan).toBe('7')
  expect(within(screen.getByRole('complementary', { name: 'Plan' })).getByText('from the solver')).toBeTruthy()
})

it('says why a plan of the solver cannot join the front', async () => {
  const sent: string[] = []
  const reason = { code: 'dominated_by_plan', params: { number: 2, detail: 'dominated_by_plan' } }
  serve((request) => {
    if (request.method === 'POST') sent.push(request.url)
    return [200, { ...ENDED, plan: { ...FOUND, addable: false, reason } }]
  })
  await renderExplorer({ permissions: ['view', 'plan'] })
  const button = await screen.findByRole('button', { name: "Add the solver's plan to the front" })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await screen.findByText(/plan 2 is at least as good in every objective/)
  await userEvent.click(button)
  expect(sent).toEqual([])
})

it('leads to a plan that was added before', async () => {
  const held = front.plans[3]
  serve(() => [200, { ...ENDED, plan: { ...FOUND, hash: held?.hash, number: 4, addable: false, reason: null } }])
  await renderExplorer({ permissions: ['view', 'plan'] })
  await userEvent.click(await screen.findByRole('button', { name: 'plan 4' }))
  expect(screen.getByTestId('explorer').dataset.plan).toBe('4')
})
