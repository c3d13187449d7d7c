// The explorer as a reader uses it: weights, bounds, presets, table, reasons, keys, states.
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { setLang } from '../../i18n'
import { front, plan, plans } from './fixture'
import { renderExplorer, stubScreen } from './harness'

vi.mock('../../charts/plotly', () => ({ loadPlotly: () => new Promise(() => undefined) }))

beforeEach(() => {
  stubScreen()
  act(() => setLang('en'))
  localStorage.clear()
})

const card = () => screen.getByRole('complementary', { name: 'Plan' })
const textOf = (element: Element | undefined) => (element?.textContent ?? '').replace(/\s+/g, ' ')
const chosen = () => within(card()).getByRole('heading', { level: 2 }).textContent

describe('choosing', () => {
  it('starts with the best plan by weights and says so', async () => {
    await renderExplorer()
    expect(chosen()).toBe('Plan 2')
    expect(textOf(card())).toContain('Best of the passing plans by weights 50 / 30 / 20')
    expect(textOf(card())).toContain('480 µs')
    expect(textOf(card())).toContain('× 0.60 default')
    expect(textOf(card())).toContain('at most 60%')
  })

  it('moves A with a weight, and the other weights share the rest', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    const energy = screen.getByLabelText('Weight of Energy, percent')
    await user.clear(energy)
    await user.type(energy, '100')
    expect(screen.getByLabelText<HTMLInputElement>('Weight of Time, percent').value).toBe('0')
    expect(chosen()).toBe('Plan 6')
    await user.dblClick(screen.getByText('Time', { selector: 'label' }))
    expect(chosen()).toBe('Plan 1')
  })

  it('marks a weight that is no number and keeps the last good one', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    const time = screen.getByLabelText('Weight of Time, percent')
    await user.clear(time)
    await user.type(time, 'x')
    expect(time.getAttribute('aria-invalid')).toBe('true')
    expect(chosen()).toBe('Plan 2')
  })

  it('picks presets by hand', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    await user.click(screen.getByRole('button', { name: /Most balanced/ }))
    expect(chosen()).toBe('Plan 4')
    expect(textOf(card())).toContain('Picked by hand; no. 3 of 6 by weights 50 / 30 / 20')
    await user.click(screen.getByRole('button', { name: 'Follow the weights' }))
    expect(chosen()).toBe('Plan 2')
  })

  it('bounds time and counts what the bound removes', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    await user.type(screen.getByLabelText('Time µs, at least'), '500')
    expect(textOf(screen.getByTestId('passing'))).toContain('4 of 6 plans pass')
    expect(screen.getByText('removes 2')).toBeTruthy()
    expect(chosen()).toBe('Plan 3')
    await user.click(screen.getByRole('button', { name: 'Clear bounds' }))
    expect(textOf(screen.getByTestId('passing'))).toContain('6 of 6 plans pass')
  })

  it('explains a bound that cannot be read or crosses the other', async () => {
    const user = userEvent.setup()
    await renderExplorer({ query: '?max_t=0.6' })
    const least = screen.getByLabelText('Time µs, at least')
    await user.type(least, 'abc')
    expect(textOf(screen.getByRole('alert'))).toContain('Not a number')
    await user.clear(least)
    await user.type(least, '700')
    expect(textOf(screen.getByRole('alert'))).toContain('The minimum is above the maximum.')
    expect(least.getAttribute('aria-invalid')).toBe('true')
  })

  it('offers the nearest plan when none passes, and relaxes the bound so that it does', async () => {
    const user = userEvent.setup()
    await renderExplorer({ query: '?max_t=0.35' })
    expect(screen.getByText('No plan meets every bound')).toBeTruthy()
    expect(screen.getByText('The nearest is plan 1: time 50 µs over.')).toBeTruthy()
    expect(textOf(card())).toContain('50 µs over')
    await user.click(screen.getByRole('button', { name: 'Relax time to 400 µs' }))
    expect(screen.queryByText('No plan meets every bound')).toBeNull()
    expect(textOf(screen.getByTestId('passing'))).toContain('1 of 6 plans pass')
    expect(chosen()).toBe('Plan 1')
  })
})

describe('table and keys', () => {
  it('has every plan in the table, sorts and picks', async () => {
    const user = userEvent.setup()
    await renderExplorer({ query: '?view=table' })
    const table = screen.getByRole('grid', { name: 'All plans of the front' })
    expect(within(table).getAllByRole('row')).toHaveLength(7)
    await user.click(within(table).getByRole('button', { name: 'Sort by Energy (estimated, template) mJ' }))
    const rows = within(table).getAllByRole('row').slice(1)
    expect(textOf(within(rows[0] as HTMLElement).getAllByRole('gridcell')[0])).toContain('6')
    await user.click(rows[0] as HTMLElement)
    expect(chosen()).toBe('Plan 6')
  })

  it('walks, swaps and switches by single keys, but not from a field', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    act(() => screen.getByTestId('explorer').focus())
    await user.keyboard(']]')
    expect(chosen()).toBe('Plan 4')
    await user.keyboard('x')
    expect(chosen()).toBe('Plan 6')
    await user.keyboard('3')
    expect(screen.getByRole('tab', { name: 'Operators' }).getAttribute('aria-selected')).toBe('true')
    await user.type(screen.getByLabelText('Find operator'), 'x1')
    expect(screen.getByRole('tab', { name: 'Operators' }).getAttribute('aria-selected')).toBe('true')
    expect(chosen()).toBe('Plan 6')
  })

  it('can switch single keys off', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    act(() => screen.getByTestId('explorer').focus())
    await user.keyboard('?')
    const dialog = await screen.findByRole('dialog')
    await user.click(within(dialog).getByRole('checkbox'))
    await user.keyboard('{Escape}')
    act(() => screen.getByTestId('explorer').focus())
    await user.keyboard(']')
    expect(chosen()).toBe('Plan 2')
    await user.keyboard('?')
    await user.click(within(await screen.findByRole('dialog')).getByRole('checkbox'))
  })

  it('says the chosen plan politely', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    await user.click(screen.getByRole('button', { name: /Fastest/ }))
    await waitFor(() =>
      expect(textOf(screen.getByTestId('live'))).toContain('Plan 1, 400 µs, 0.50 of default, no. 4 of 6'),
    )
  })
})

describe('operators', () => {
  it('lists them with their reason and what moving elsewhere would change', async () => {
    const user = userEvent.setup()
    await renderExplorer({ query: '?tab=operators' })
    const table = screen.getByRole('grid', { name: /Operators of plan 2/ })
    expect(within(table).getAllByRole('row')).toHaveLength(5)
    expect(screen.getByText(/^Energy \(/, { selector: '.small' })).toBeTruthy()
    await user.click(within(table).getByText('left/conv'))
    const inspector = screen.getByRole('complementary', { name: 'Operator in detail' })
    expect(within(inspector).getByRole('heading', { name: 'left/conv' })).toBeTruthy()
    expect(textOf(screen.getByTestId('reason'))).toContain('Fastest here: 100 µs, next is C0 with 250 µs.')
    expect(textOf(inspector)).toContain('+150 µs')
    expect(textOf(inspector)).toContain('Exceeds its memory by 1.20 GB')
  })

  it('filters and says when nothing matches', async () => {
    const user = userEvent.setup()
    await renderExplorer({ query: '?tab=operators' })
    const find = await screen.findByLabelText('Find operator')
    await user.type(find, 'relu c0')
    expect(within(screen.getByRole('grid')).getAllByRole('row')).toHaveLength(2)
    await user.type(find, ' nothing')
    expect(screen.getByText(/No operator has “relu c0 nothing”/)).toBeTruthy()
  })

  it('compares A and B', async () => {
    await renderExplorer({ query: '?tab=compare' })
    const figures = screen.getByRole('table', { name: 'Figures' })
    expect(textOf(figures)).toContain('−720')
    expect(screen.getByText('0 of 4 operators sit on another device')).toBeTruthy()
  })

  it('walks both timelines by keys, and says where the operator is in A and in B', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer({ query: '?tab=compare&op=0' })
    const canvas = screen.getByTestId('two-timelines')
    canvas.focus()
    expect(document.activeElement).toBe(canvas)
    await user.keyboard('{ArrowRight}')
    expect(history.location.search).toContain('op=1')
    expect(await screen.findByText(/^left\/conv, A G0, .*, B G0, /)).toBeTruthy()
    await user.keyboard('{ArrowDown}{ArrowDown}')
    expect(await screen.findByText(/^left\/conv, B G0, .*, A G0, /)).toBeTruthy()
  })
})

describe('states', () => {
  it('keeps the picked plan by its hash when a new front arrives', async () => {
    const query = `?a=${plans[3]?.hash.slice(0, 12) ?? ''}`
    const { replaceFront } = await renderExplorer({ query })
    expect(chosen()).toBe('Plan 4')
    const moved = [plan(1, 0.3, 0.09, 0.1, { hash: 'f'.repeat(64) }), ...plans.map((p) => ({ ...p, number: p.number + 1 }))]
    replaceFront({ ...front, plans: moved })
    await waitFor(() => expect(chosen()).toBe('Plan 5'))
  })

  it('says when the picked plan is not here any more', async () => {
    await renderExplorer({ query: '?a=ffffffffffff' })
    expect(textOf(card())).toContain('is not here any more')
    expect(chosen()).toBe('Plan 2')
  })

  it('shows the progress of a running search with a way to stop it', async () => {
    await renderExplorer({ search: { state: 'running', generation: 5, eta_s: 12 } })
    expect(textOf(screen.getByTestId('progress'))).toContain('generation 5 of 20 · 6 plans · hypervolume 2.700')
    expect(textOf(screen.getByTestId('progress'))).toContain('about 12 s left')
    expect(textOf(screen.getByTestId('progress'))).not.toContain('islands')
    expect(screen.getByRole('button', { name: 'Stop and keep' }).getAttribute('aria-disabled')).toBeNull()
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25')
  })

  it('names the islands of a search, how far they are, and how many plans have migrated', async () => {
    const islands = { count: 4, epoch: 0, epochs: 0, migrated: 0 }
    const waiting = await renderExplorer({ search: { state: 'running', islands } })
    expect(textOf(screen.getByTestId('progress'))).toContain('· 4 islands ·')
    waiting.unmount()
    const running = await renderExplorer({ search: { state: 'running', islands: { count: 4, epoch: 3, epochs: 10, migrated: 96 } } })
    expect(textOf(screen.getByTestId('progress'))).toContain('4 islands, epoch 3 of 10 · 96 plans migrated')
    running.unmount()
    await renderExplorer({ search: { islands } })
    expect(textOf(screen.getByRole('contentinfo'))).toContain('4 islands')
  })

  it('explains a front of one plan and an empty one', async () => {
    const one = await renderExplorer({ front: { ...front, plans: plans.slice(0, 1) } })
    expect(screen.getByRole('heading', { name: 'One plan' })).toBeTruthy()
    one.unmount()
    await renderExplorer({ front: { ...front, plans: [], knee: null }, search: { state: 'queued', front_revision: 0 } })
    expect(screen.getByText('No plans yet')).toBeTruthy()
    expect(textOf(screen.getByTestId('passing'))).toContain('0 of 0 plans pass')
  })

  it('explains a pool that holds no plan, and a failure', async () => {
    const tight = plans.map((p, i) => ({ ...p, feasible: false, overflow_bytes: (i + 1) * 100_000_000 }))
    const exceeded = { devices: ['gpu0', 'gpu1'], peak_bytes: 500e6, limit_bytes: 400e6, overflow_bytes: 100e6, needed_memory_bytes: 6e8, size_bytes: 5e8 }
    const none = await renderExplorer({
      front: { ...front, plans: tight, messages: [{ code: 'memory_exceeded', params: exceeded }] },
      search: { state: 'no_feasible' },
    })
    expect(textOf(screen.getByRole('alert'))).toContain('plan 1, exceeds the memory of gpu0, gpu1 by 100 MB (it needs 500 MB and may use 400 MB)')
    expect(screen.getByRole('link', { name: 'Edit the pool' })).toBeTruthy()
    none.unmount()
    await renderExplorer({
      search: { state: 'failed', error: { code: 'x_unknown', message: 'The worker was lost.', hint: 'Look at its log.', params: {} } },
    })
    expect(textOf(screen.getByRole('alert'))).toContain('The search failed: The worker was lost.')
    expect(textOf(screen.getByRole('alert'))).toContain('Look at its log.')
  })

  it('does not blame the memory where a bound of the search, or the limit on time, leaves no plan', async () => {
    const unkept = plans.map((p) => ({ ...p, feasible: false }))
    const missed = { code: 'constraint_missed', params: { objective: 'exec_time_ms', end: 'max', bound: 0.1, value: 0.4 } }
    const bounded = await renderExplorer({ front: { ...front, plans: unkept, messages: [missed] }, search: { state: 'no_feasible' } })
    expect(textOf(screen.getByRole('alert'))).toContain('No plan keeps the bounds of this search')
    expect(textOf(screen.getByRole('alert'))).toContain('plan 1, has time 400 µs, above the maximum of 100 µs')
    expect(textOf(screen.getByRole('alert'))).not.toContain('memory')
    expect(screen.getByRole('link', { name: 'Open the model' })).toBeTruthy()
    bounded.unmount()
    await renderExplorer({ front: { ...front, plans: unkept }, search: { state: 'no_feasible' } })
    expect(textOf(screen.getByRole('alert'))).toContain('No plan is quick enough for this search')
    expect(screen.queryByRole('link', { name: 'Edit the pool' })).toBeNull()
  })

  it('speaks Chinese', async () => {
    await renderExplorer({ query: '?max_t=0.35' })
    act(() => setLang('zh'))
    expect(screen.getByText('没有方案满足全部约束')).toBeTruthy()
    expect(screen.getByText('最接近的是方案 1：执行时间超出 50 µs。')).toBeTruthy()
    expect(screen.getByRole('button', { name: '将执行时间放宽到 400 µs' })).toBeTruthy()
  })
})
