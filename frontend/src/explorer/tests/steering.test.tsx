// Steering as a reader uses it: pins from the inspector and the table, devices, conflicts, the search from here.
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { setLang } from '../../i18n'
import { front, plan, search } from './fixture'
import { renderExplorer, stubScreen } from './harness'

vi.mock('../../charts/plotly', () => ({ loadPlotly: () => new Promise(() => undefined) }))

const NEXT = 'c0ffee00-0000-4000-8000-000000000009'

/** A server that starts every search; what was sent to it. */
function stubServer(status = 201): { method: string; path: string; body: unknown }[] {
  const sent: { method: string; path: string; body: unknown }[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const text = await request.text()
    sent.push({ method: request.method, path: new URL(request.url).pathname, body: text ? JSON.parse(text) : null })
    if (request.method !== 'POST') return Response.json({}, { status: 404 })
    if (status >= 400) {
      const error = { code: 'unknown_operator', message: 'No such operator.', hint: '', params: { operator: 'stem/conv' } }
      return Response.json({ error }, { status })
    }
    return Response.json({ ...search, id: NEXT }, { status })
  })
  return sent
}

beforeEach(() => {
  stubScreen()
  act(() => setLang('en'))
  localStorage.clear()
})

const steer = () => screen.getByRole('region', { name: 'Steer' })
const textOf = (element: Element) => element.textContent.replace(/\s+/g, ' ')
const again = () => within(steer()).getByRole('button', { name: 'Search again from here' })
const options = { query: '?tab=operators&op=1', permissions: ['view', 'plan'] }

describe('pins', () => {
  it('are set and taken away in the inspector, by button and by key, and undone', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer(options)
    const inspector = screen.getByRole('complementary', { name: 'Operator in detail' })
    await user.click(within(inspector).getByRole('button', { name: 'Pin to C0' }))
    expect(history.location.search).toContain('pin=1.1')
    expect(textOf(steer())).toContain('1 operator')
    expect(within(screen.getByRole('grid')).getByText('Pinned to C0')).toBeTruthy()
    act(() => screen.getByTestId('explorer').focus())
    await user.keyboard('p')
    expect(history.location.search).toContain('pin=0.1')
    await user.keyboard('p')
    expect(history.location.search).not.toContain('pin=')
    await user.keyboard('z')
    await waitFor(() => expect(within(screen.getByRole('grid')).getByText('Pinned to G0')).toBeTruthy())
  })

  it('are set for a group and for a selection', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer(options)
    await user.click(screen.getByRole('button', { name: 'Select' }))
    await user.click(await screen.findByRole('menuitem', { name: /^Conv/ }))
    const bar = screen.getByTestId('selection')
    expect(textOf(bar)).toContain('2 operators selected')
    await user.click(within(bar).getByRole('button', { name: 'Pin to' }))
    await user.click(await screen.findByRole('menuitem', { name: /Xeon 8480/ }))
    expect(history.location.search).toContain('pin=1.0-1')
    await user.click(screen.getByRole('checkbox', { name: 'Select all operators shown' }))
    expect(textOf(screen.getByTestId('selection'))).toContain('4 operators selected')
    await user.click(within(screen.getByTestId('selection')).getByRole('button', { name: 'Unpin 2' }))
    expect(history.location.search).not.toContain('pin=')
  })

  it('are selected by keyboard alone', async () => {
    const user = userEvent.setup()
    await renderExplorer(options)
    const grid = screen.getByRole('grid')
    act(() => grid.focus())
    await user.keyboard('{Home} {ArrowDown} ')
    expect(textOf(screen.getByTestId('selection'))).toContain('2 operators selected')
    await user.keyboard(' ')
    expect(textOf(screen.getByTestId('selection'))).toContain('1 operator selected')
  })

  it('of the search itself are shown, and taking them away is a change', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer({
      ...options,
      search: { settings: { ...search.settings, pins: { 'stem/conv': 'npu0' }, forbidden_devices: ['cpu0'] } },
    })
    expect(textOf(steer())).toContain('N0')
    expect(within(steer()).queryByRole('button', { name: 'Reset' })).toBeNull()
    await user.click(within(steer()).getByRole('button', { name: 'Take away the pins to N0' }))
    expect(history.location.search).toContain('pin=none')
    await user.click(within(steer()).getByRole('button', { name: 'Reset' }))
    expect(history.location.search).not.toContain('pin=')
    expect(within(steer()).getByRole('button', { name: 'Use cpu0' }).getAttribute('aria-pressed')).toBe('false')
  })

  it('to a forbidden device are refused before anything is sent, with a way out', async () => {
    const user = userEvent.setup()
    const sent = stubServer()
    await renderExplorer({ ...options, query: '?pin=1.0-1' })
    await user.click(within(steer()).getByRole('button', { name: 'Use cpu0' }))
    expect(textOf(within(steer()).getByRole('alert'))).toContain('2 operators are pinned to C0, which is forbidden.')
    expect(again().getAttribute('aria-disabled')).toBe('true')
    await user.click(again())
    expect(sent.filter(({ method }) => method === 'POST')).toEqual([])
    await user.click(within(steer()).getByRole('button', { name: 'Unpin them' }))
    expect(within(steer()).queryByRole('alert')).toBeNull()
  })
})

describe('the search from here', () => {
  it('has the same model, pool and settings, the pins, and starts from this front', async () => {
    const user = userEvent.setup()
    const sent = stubServer()
    const { history } = await renderExplorer({ ...options, query: '?w=20-30-50&pin=1.0&ban=2' })
    await user.clear(within(steer()).getByLabelText('Generations'))
    await user.type(within(steer()).getByLabelText('Generations'), '30')
    await user.click(again())
    await waitFor(() => expect(history.location.pathname).toBe(`/searches/${NEXT}`))
    expect(sent.find(({ method }) => method === 'POST')).toMatchObject({
      path: '/api/searches/',
      body: {
        model: search.model.id,
        pool: search.pool.id,
        warm_start: search.id,
        settings: { pins: { 'stem/conv': 'cpu0' }, forbidden_devices: ['npu0'], generations: 30, seed: 5 },
      },
    })
    expect(history.location.search).toContain(`over=${search.id}`)
    expect(history.location.search).toContain('w=20-30-50')
  })

  it('says what the server refused', async () => {
    const user = userEvent.setup()
    stubServer(422)
    await renderExplorer({ ...options, query: '?pin=1.0' })
    await user.click(again())
    expect(await within(steer()).findByText(/The model has no operator stem\/conv/)).toBeTruthy()
  })

  it('is not offered to people who may only look', async () => {
    await renderExplorer({ query: '?tab=operators' })
    expect(again().getAttribute('aria-disabled')).toBe('true')
  })

  it('leads back to where it came from when it finds no plan', async () => {
    const user = userEvent.setup()
    const from = { id: NEXT, number: 6 }
    const { history } = await renderExplorer({
      front: { ...front, plans: [] },
      query: '?pin=1.0',
      search: { state: 'no_feasible', warm_start: from, settings: { ...search.settings, pins: { 'stem/conv': 'cpu0' } } },
    })
    await user.click(screen.getByRole('button', { name: 'Back to search 6' }))
    expect(history.location.href).toBe(`/searches/${NEXT}?pin=1.0`)
  })
})

describe('an earlier front', () => {
  const before = { ...front, revision: 1, plans: [plan(1, 0.41, 0.09, 0.11), plan(2, 0.3, 0.04, 0.01)] }
  const earlier = { ...search, id: NEXT, number: 6, front_revision: 1 }

  it('lies under this one, is compared with it, and can be switched off', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer({ search: { warm_start: { id: NEXT, number: 6 } }, earlier: { search: earlier, front: before } })
    expect(textOf(screen.getByTestId('earlier-note'))).toBe('Of the 2 plans of search 6: 1 beaten here, 0 met again. Of the 6 plans here: 6 beaten there.')
    const button = screen.getByRole('button', { name: 'Front of search 6' })
    await user.click(button)
    expect(screen.queryByTestId('earlier-note')).toBeNull()
    expect(history.location.search).toContain('over=none')
    await user.click(screen.getByRole('button', { name: 'Front of search 6' }))
    expect(screen.getByTestId('earlier-note')).toBeTruthy()
  })

  it('speaks Chinese', async () => {
    await renderExplorer({ search: { warm_start: { id: NEXT, number: 6 } }, earlier: { search: earlier, front: before } })
    act(() => setLang('zh'))
    expect(screen.getByRole('button', { name: '搜索 6 的前沿' })).toBeTruthy()
    expect(screen.getByRole('button', { name: '从这里继续搜索' })).toBeTruthy()
  })
})

describe('measures', () => {
  it('any of them can stand on an axis, colour and size', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer()
    await user.click(screen.getByRole('button', { name: 'Axes, colour and size' }))
    await user.selectOptions(await screen.findByLabelText('Third axis (height)'), 'Throughput ↑ k/s')
    await user.selectOptions(screen.getByLabelText('Colour'), 'Peak memory MB')
    expect(history.location.search).toBe('?axes=t.e.throughput_per_s&colour=m')
    expect(screen.getByText('↑ higher is better, lower is better elsewhere')).toBeTruthy()
  })

  it('any of them can be bounded', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    await user.click(screen.getByRole('button', { name: 'Add a bound' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Throughput ↑ k/s' }))
    await user.type(screen.getByLabelText('Throughput k/s, at least'), '1.7')
    expect(textOf(screen.getByTestId('passing'))).toContain('3 of 6 plans pass')
  })
})
