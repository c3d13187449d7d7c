// Moves that are tried: the address, the banner, what is asked of the server, keeping and discarding.
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { parseAddress, writeAddress } from '../logic/address'
import { movedDetail, withMoves } from '../logic/moves'
import type { WhatIf } from '../types'
import { detailOf, front, plan, plans } from './fixture'
import { renderExplorer, stubScreen } from './harness'

const base = detailOf(plans[1] ?? plan(2, 0.48, 0.06, 0.08))

/** Operator 0 on the CPU: the plan takes 0.05 ms longer. */
function answer(moves: { operator: number; device: number }[]): WhatIf {
  const moved = base.operators.flatMap((op) => {
    const to = moves.find((move) => move.operator === op.index)
    return to ? [{ ...op, device: to.device }] : []
  })
  return {
    ...plan(2, 0.53, 0.061, 0.07),
    number: null,
    hash: 'f'.repeat(64),
    revision: 3,
    base: base.hash,
    moved,
    start_ms: base.operators.map((op) => op.start_ms + 0.05),
    end_ms: base.operators.map((op) => op.end_ms + 0.05),
    transfers: [],
    memory: [],
    critical_path: [0],
    energy_parts_j: {},
    position: null,
  }
}

const asked: { path: string; body: { base: string; moves: { operator: number; device: number }[] } }[] = []

const deleted: string[] = []

beforeEach(() => {
  stubScreen()
  asked.length = 0
  deleted.length = 0
  vi.stubGlobal('fetch', async (request: Request) => {
    const path = new URL(request.url).pathname
    const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } })
    if (request.method === 'DELETE') {
      deleted.push(path)
      return new Response(null, { status: 204 })
    }
    if (request.method === 'POST') {
      const body = (await request.json()) as (typeof asked)[number]['body']
      asked.push({ path, body })
      if (path.endsWith('/what-if/')) return json(answer(body.moves))
      if (path.endsWith('/kept/')) return json({ ...plan(7, 0.53, 0.061, 0.07), kept: { by: 'me', at: '2026-01-05T10:00:00Z', base: base.hash, moved: 1 } }, 201)
      return json({ index: 0, name: 'stem/conv', reason: { code: 'fastest_here', params: {} }, alternatives: [{ ...base.operators[0]?.alternatives?.[0], device: 0 }] })
    }
    return json({ error: { code: 'not_found', message: '' } }, 404)
  })
})

describe('moves', () => {
  it('stand in the address and come back from it', () => {
    const state = parseAddress('a=2abc&try=1.0.2-3')
    expect(state.moves).toEqual({ 0: 1, 2: 1, 3: 1 })
    expect(writeAddress(state)).toBe('a=2abc&try=1.0.2-3')
    expect(parseAddress('try=none').moves).toBeNull()
    expect(parseAddress('try=rubbish!').moves).toBeNull()
  })

  it('add up, and an operator that is back where it was is no move', () => {
    const one = withMoves(base, null, [0, 1], 1)
    expect(one).toEqual({ 0: 1, 1: 1 })
    expect(withMoves(base, one, [0], 0)).toEqual({ 1: 1 })
    expect(withMoves(base, { 0: 1 }, [0], 0)).toBeNull()
    expect(withMoves(base, null, [99], 1)).toBeNull()
  })

  it('make of the base what the server decoded, and forget its reasons', () => {
    const edges = [{ source: 0, target: 1, size_bytes: 4, cut: false }]
    const moved = movedDetail({ ...base, edges }, answer([{ operator: 0, device: 1 }]))
    expect(moved.operators.map((op) => op.device)).toEqual([1, 0, 1, 0])
    expect(moved.operators[1]?.start_ms).toBeCloseTo(0.15)
    expect(moved.edges[0]?.cut).toBe(true)
    expect(moved.operators.every((op) => op.reason === null && op.alternatives === null)).toBe(true)
    expect([moved.number, moved.exec_time_ms]).toEqual([2, 0.53])
  })

  it('leave operators and edges that do not change the objects that they were', () => {
    const bare = base.operators.map((op) => ({ ...op, reason: null, alternatives: null }))
    const edges = [{ source: 0, target: 1, size_bytes: 4, cut: false }, { source: 1, target: 3, size_bytes: 4, cut: false }]
    const tried = answer([{ operator: 0, device: 1 }])
    const still = { ...tried, start_ms: bare.map((op) => op.start_ms), end_ms: bare.map((op, i) => op.end_ms + (i === 2 ? 1 : 0)) }
    const moved = movedDetail({ ...base, operators: bare, edges }, still)
    expect(moved.operators.map((op, i) => op === bare[i])).toEqual([false, true, false, true])
    expect(moved.operators[2]?.end_ms).toBe((bare[2]?.end_ms ?? 0) + 1)
    expect(moved.edges.map((edge, i) => edge === edges[i])).toEqual([false, true])
  })
})

describe('a what-if', () => {
  it('is tried from the inspector, shown over the work pane, and discarded with Escape', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer({ query: '?op=0&tab=operators' })
    await user.click(screen.getByRole('button', { name: 'Try on C0' }))
    const banner = await screen.findByTestId('what-if')
    await waitFor(() => expect(screen.getByTestId('what-if-deltas').textContent).toContain('Time +50'))
    expect(asked[0]?.body).toEqual({ base: base.hash, moves: [{ operator: 0, device: 1 }] })
    expect(history.location.search).toContain('try=1.0')
    // The card keeps showing plan A.
    expect(screen.getByRole('heading', { name: 'Plan 2' })).toBeTruthy()
    expect(screen.getByTestId('reason').textContent).toContain('You moved it here from G0; the plan takes 50')
    expect(within(banner).getByRole('button', { name: 'Keep as plan 7' }).getAttribute('aria-disabled') ?? 'true').toBe('true')
    act(() => screen.getByTestId('explorer').focus())
    await user.keyboard('{Escape}')
    expect(screen.queryByTestId('what-if')).toBeNull()
    expect(history.location.search).not.toContain('try=')
  })

  it('ends when another plan is chosen, and Undo brings it back', async () => {
    const user = userEvent.setup()
    await renderExplorer({ query: `?a=${base.hash.slice(0, 12)}&op=0` })
    await user.click(screen.getByRole('button', { name: 'Try on C0' }))
    await screen.findByTestId('what-if')
    act(() => screen.getByTestId('explorer').focus())
    await user.keyboard(']')
    expect(screen.queryByTestId('what-if')).toBeNull()
    await user.keyboard('z')
    await screen.findByTestId('what-if')
  })

  it('is kept as a plan by those who plan', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer({ query: `?a=${base.hash.slice(0, 12)}&try=1.0`, permissions: ['view', 'plan'] })
    await screen.findByTestId('what-if')
    await waitFor(() => expect(screen.getByTestId('what-if-deltas').textContent).toContain('Time'))
    await user.click(screen.getByRole('button', { name: 'Keep as plan 7' }))
    await waitFor(() => expect(history.location.search).toBe('?a=7abcdef01234'))
    expect(asked.at(-1)).toEqual({ path: expect.stringMatching(/\/kept\/$/) as string, body: { base: base.hash, moves: [{ operator: 0, device: 1 }] } })
  })

  it('says whose a kept plan is', async () => {
    const own = plan(7, 0.3, 0.03, 0.01, { kept: { by: 'ann', at: '2026-01-05T10:00:00Z', base: base.hash, moved: 2 } })
    await renderExplorer({ front: { ...front, plans: [...plans, own] } })
    expect(screen.getByTestId('kept').textContent).toBe('Made by hand: 2 operators moved in plan 2 · by ann Remove')
    expect(screen.getByRole('button', { name: 'Remove' }).getAttribute('aria-disabled')).toBe('true')
  })

  it('leaves when asked to, after a question, and the weights choose again', async () => {
    const user = userEvent.setup()
    const own = plan(7, 0.3, 0.03, 0.01, { kept: { by: 'ann', at: '2026-01-05T10:00:00Z', base: base.hash, moved: 2 } })
    const { history } = await renderExplorer({ front: { ...front, plans: [...plans, own] }, query: `?a=${own.hash.slice(0, 12)}`, permissions: ['view', 'plan'] })
    await user.click(screen.getByRole('button', { name: 'Remove' }))
    const dialog = screen.getByRole('dialog', { name: 'Remove plan 7?' })
    await user.click(within(dialog).getByRole('button', { name: 'Remove' }))
    await waitFor(() => expect(deleted).toEqual([expect.stringMatching(`/kept/${own.hash}/$`)]))
    await waitFor(() => expect(history.location.search).not.toContain('a='))
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
