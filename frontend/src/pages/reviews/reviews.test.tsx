// The review's page and list, the team page and an invitation, against a fake server.
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import type { ReviewDetail } from '../../api/reviews'
import { openApp, page, Refusal, SESSION } from '../../test/fakeServer'
import { INITIAL_ANCHOR, readAnchor } from './AnchorFields'
import { askedAnchor, reviewQuery } from './asked'
import { shownFigure } from './figures'
import { explorerAddress } from './links'
import { formatsFor } from '../../format/numbers'

const ALICE = { id: 'u', name: 'Alice', initials: 'A' }
const BOB = { id: 'b', name: 'Bob', initials: 'B' }
const HASH = 'f'.repeat(64)

const REVIEW: ReviewDetail = {
  id: 'r1',
  search: { id: 's1', number: 7, model: 'tiny', pool: 'Rack', pool_is_sample: false },
  plan_hash: HASH,
  plan_number: 9,
  state: 'in_review',
  standing: 'in_review',
  stale_since: null,
  round: 1,
  authors: [BOB],
  waits_for: [ALICE],
  reviewers: [{ user: ALICE, asked: true, decision: '', decided_at: null }],
  n_open_threads: 1,
  n_threads: 2,
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-01-02T03:04:05Z',
  requested_at: '2026-01-02T03:04:05Z',
  decided_at: null,
  figures: [{ key: 'exec_time_ms', value: 0.527, multiple: 0.7, sources: [] }],
  devices: [{ name: 'cpu0', tag: 'C0', slot: 2, display_name: 'Xeon', device_type: 'CPU' }],
  reasons: [],
  approvals_needed: 1,
  self_approval: false,
  may_be_asked: [ALICE],
  may: { request: 'review_under_way', withdraw: null, approve: null, request_changes: null, comment: null },
  threads: [
    {
      id: 't1',
      anchor: { kind: 'range', operator: null, operator_name: '', device: 'cpu0', start_ms: 0.36, end_ms: 0.4 },
      created_by: BOB,
      created_at: '2026-01-02T03:04:05Z',
      resolved_by: null,
      resolved_at: null,
      comments: [
        {
          id: 'c1',
          author: BOB,
          body: 'Can we cap this, @Alice?',
          mentions: [{ user: ALICE, text: 'Alice' }],
          created_at: '2026-01-02T03:04:05Z',
          edited_at: null,
          deleted_at: null,
        },
      ],
    },
    {
      id: 't2',
      anchor: { kind: 'plan', operator: null, operator_name: '', device: '', start_ms: null, end_ms: null },
      created_by: ALICE,
      created_at: '2026-01-02T03:04:05Z',
      resolved_by: ALICE,
      resolved_at: '2026-01-02T03:04:05Z',
      comments: [],
    },
  ],
  history: [{ at: '2026-01-02T03:04:05Z', user: BOB, kind: 'requested', details: {} }],
}

const STALE: ReviewDetail = {
  ...REVIEW,
  state: 'approved',
  standing: 'stale',
  stale_since: '2026-01-04T00:00:00Z',
  decided_at: '2026-01-03T00:00:00Z',
  reasons: [{ code: 'recalibrated', params: { devices: ['cpu0'], version: 2 }, at: '2026-01-04T00:00:00Z', by: 'Bob' }],
  reviewers: [{ user: ALICE, asked: true, decision: 'approved', decided_at: '2026-01-03T00:00:00Z' }],
  may: { ...REVIEW.may, request: null, approve: 'review_outdated' },
}

function open(review: ReviewDetail, replies: Record<string, object> = {}) {
  return openApp('/reviews/r1', {
    'GET /api/reviews/r1/': review,
    'GET /api/reviews/r1/changes/': [],
    ...replies,
  })
}

// Pages are loaded when they are opened; no test waits for that.
beforeAll(async () => {
  await Promise.all([
    import('./ReviewRoute'),
    import('./ReviewsPage'),
    import('../team/TeamPage'),
    import('../team/InvitePage'),
  ])
})

afterEach(() => vi.unstubAllGlobals())

describe('the review of a plan', () => {
  it('approves the plan and the round that the reader sees', async () => {
    const { sent } = open(REVIEW, { 'POST /api/reviews/r1/decide/': { ...REVIEW, state: 'approved', standing: 'approved' } })
    await userEvent.click(await screen.findByRole('button', { name: 'Approve' }))
    await waitFor(() => expect(sent.some((one) => one.method === 'POST')).toBe(true))
    expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ decision: 'approved', hash: HASH, round: 1 })
    expect((await screen.findAllByText('Approved')).length).toBeGreaterThan(0)
  })

  it('says first what made the approval stale, and why a button cannot be used', async () => {
    const { sent } = open(STALE, { 'POST /api/reviews/r1/request/': REVIEW })
    const banner = await screen.findByText('The approval is stale')
    const text = document.querySelector('main')?.textContent ?? ''
    expect(text.indexOf('The approval is stale')).toBeLessThan(text.indexOf('Plan 9'))
    expect(banner.parentElement?.textContent).toContain('cpu0 was recalibrated on Jan 4, 2026')
    const approve = screen.getByRole('button', { name: 'Approve' })
    expect(approve.getAttribute('aria-disabled')).toBe('true')
    approve.focus()
    expect((await screen.findAllByText(/Something changed beneath the plan/)).length).toBeGreaterThan(0)
    await userEvent.click(screen.getByRole('button', { name: 'Ask for review again' }))
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).getByRole<HTMLInputElement>('checkbox', { name: 'Alice' }).checked).toBe(true)
    await userEvent.click(within(dialog).getByRole('button', { name: 'Ask for review again' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ reviewers: ['u'] }))
  })

  it('tells authors that they cannot approve their own plan', async () => {
    open({ ...REVIEW, may: { ...REVIEW.may, approve: 'review_own_plan' } })
    expect(await screen.findByText('You planned this, so you cannot approve it.')).toBeTruthy()
  })

  it('leads from a thread to its place in the explorer, and answers in it', async () => {
    const { sent } = open(REVIEW, { 'POST /api/threads/t1/comments/': REVIEW })
    const link = await screen.findByRole('link', { name: /0.36 to 0.4 ms/ })
    expect(link.getAttribute('href')).toContain('/searches/s1?a=ffffffffffff')
    expect(screen.getByText('@Alice').className).toBe('mention')
    expect(screen.queryByText(/Resolved by/)).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'All' }))
    expect(screen.getByText(/Resolved by Alice/)).toBeTruthy()
    const thread = document.getElementById('thread-t1') as HTMLElement
    await userEvent.click(within(thread).getByRole('button', { name: 'Reply' }))
    await userEvent.type(within(thread).getByLabelText('Reply to this thread'), 'Yes')
    await userEvent.click(within(thread).getByRole('button', { name: 'Reply' }))
    await waitFor(() => expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ body: 'Yes' }))
  })

  it('shows what was refused and reads the review again', async () => {
    const { sent } = open(REVIEW, { 'POST /api/reviews/r1/decide/': new Refusal(409, 'review_moved_on') })
    await userEvent.click(await screen.findByRole('button', { name: 'Approve' }))
    expect(await screen.findByText('The review has moved on since you looked at it')).toBeTruthy()
    await waitFor(() => expect(sent.filter((one) => one.path === '/api/reviews/r1/').length).toBeGreaterThan(1))
  })

  it('says so when the review is not there', async () => {
    openApp('/reviews/r1')
    expect(await screen.findByRole('heading', { name: 'Nothing at this address' })).toBeTruthy()
  })
})

describe('lists', () => {
  it('shows what waits for the reader first', async () => {
    const other = { ...REVIEW, id: 'r2', plan_number: 4, waits_for: [BOB] }
    openApp('/reviews', { 'GET /api/reviews/': page(REVIEW, other) })
    expect(await screen.findByRole('link', { name: 'Review of plan 9 of tiny' })).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'Review of plan 4 of tiny' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'All' }))
    expect(screen.getByRole('link', { name: 'Review of plan 4 of tiny' })).toBeTruthy()
  })

  it('counts what is unread in the bar', async () => {
    openApp('/reviews', { 'GET /api/notifications/unread/': { unread: 3 } })
    expect(await screen.findByRole('link', { name: '3 unread notifications' })).toBeTruthy()
  })
})

describe('the team', () => {
  it('shows a new token once and lets owners see the rest', async () => {
    const token = { id: 'k', name: 'ci', scope: 'read', start: 'hopt_ab', created_at: '2026-01-02T03:04:05Z', expires_at: '2036-01-02T03:04:05Z', last_used_at: null }
    const { sent } = openApp('/team', {
      'GET /api/team/': { id: 't', name: 'Team', approvals_needed: 1, self_approval: false, created_at: '2026-01-02T03:04:05Z' },
      'GET /api/team/members/': [{ id: 'm', user: ALICE, email: '', role: 'owner', joined_at: '2026-01-02T03:04:05Z', last_sign_in: null }],
      'GET /api/team/invites/': [],
      'GET /api/tokens/': [],
      'GET /api/webhooks/': [],
      'GET /api/audit/': page(),
      'GET /api/session/profile/': { name: 'Alice', email: '' },
      'POST /api/tokens/': { ...token, secret: 'hopt_abcdef' },
    })
    await userEvent.click(await screen.findByRole('button', { name: 'New token' }))
    await userEvent.type(screen.getByLabelText('What it is for'), 'ci')
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'New token' }))
    expect(await screen.findByDisplayValue('hopt_abcdef')).toBeTruthy()
    expect(sent.find((one) => one.method === 'POST')?.body).toEqual({ name: 'ci', scope: 'read', days: 90 })
    expect(screen.getByRole('heading', { name: 'Audit log', hidden: true })).toBeTruthy()
  })

  it('lets somebody new join without a session', async () => {
    const { sent } = openApp('/invite/abc', {
      'GET /api/session/': { ...SESSION, user: null, team: null, teams: [], permissions: [] },
      'POST /api/invitations/show/': { team: 'Planners', role: 'reviewer', invited_by: 'Alice', expires_at: '2036-01-01T00:00:00Z', already_member: false },
      'POST /api/invitations/accept/': new Refusal(404, 'invite_gone'),
    })
    expect(await screen.findByRole('heading', { name: 'Join Planners' })).toBeTruthy()
    await userEvent.type(screen.getByLabelText('Your name'), 'Carol')
    await userEvent.click(screen.getByRole('button', { name: 'Join' }))
    expect(await screen.findByText('This invitation does not hold, or holds no longer')).toBeTruthy()
    expect(sent.at(-1)?.body).toEqual({ secret: 'abc', name: 'Carol', email: '' })
  })
})

describe('small parts', () => {
  it('reads what a thread is about from its fields', () => {
    const draft = { ...INITIAL_ANCHOR, kind: 'operator' as const }
    expect(readAnchor(INITIAL_ANCHOR)).toEqual({ kind: 'plan' })
    expect(readAnchor({ ...draft, operator: '12 block/conv 3' })).toEqual({ kind: 'operator', operator: 12 })
    expect(readAnchor({ ...draft, operator: 'conv' })).toBeNull()
    expect(readAnchor({ ...INITIAL_ANCHOR, kind: 'lane' })).toBeNull()
    expect(readAnchor({ ...INITIAL_ANCHOR, kind: 'range', start: '0.2', end: '0.1' })).toBeNull()
    expect(readAnchor({ ...INITIAL_ANCHOR, kind: 'range', start: '', end: '1' })).toBeNull()
    expect(readAnchor({ ...INITIAL_ANCHOR, kind: 'range', start: '0', end: '0.5', device: 'cpu0' })).toEqual({
      kind: 'range',
      start_ms: 0,
      end_ms: 0.5,
      device: 'cpu0',
    })
  })

  it('opens the explorer at the operator', () => {
    const anchor = { kind: 'operator' as const, operator: 3, operator_name: 'x', device: '', start_ms: null, end_ms: null }
    expect(explorerAddress(REVIEW, anchor)).toBe('/searches/s1?a=ffffffffffff&at=work&op=3')
    const range = { kind: 'range', operator: null, operator_name: '', device: 'cpu0', start_ms: 0.36, end_ms: 0.4 } as const
    expect(explorerAddress(REVIEW, range)).toBe('/searches/s1?a=ffffffffffff&at=work&lane=cpu0&mark=0.36-0.4')
  })

  it('takes what a thread is about from the address, and ignores what makes no sense', () => {
    expect(askedAnchor(reviewQuery({ about: 'range', device: 'cpu0', start: '0.36', end: 0.4 }))).toEqual({
      kind: 'range',
      device: 'cpu0',
      start: '0.36',
      end: '0.4',
    })
    expect(askedAnchor(reviewQuery({ about: 'everything', start: ['1'] }))).toEqual({})
  })

  it('shows both figures of a pair in one unit', () => {
    const formats = formatsFor('en')
    expect(shownFigure('exec_time_ms', 0.527, formats, 1.2)).toBe('0.527 ms')
    expect(shownFigure('exec_time_ms', 0.527, formats)).toBe('527 µs')
    expect(shownFigure('energy_j', 0.0668, formats)).toBe('66.8 mJ')
  })
})
