// Fronts at the edge: values of exactly zero, a reference of zero, and 5,000 plans at once.
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'

import { setLang } from '../../i18n'
import { rangesOf, shownValues } from '../front/axes'
import { cellX, cellY } from '../front/cell'
import { linesOf } from '../front/parallel-lines'
import { INITIAL } from '../logic/address'
import { buildModel } from '../logic/model'
import { marksOf } from '../front/marked'
import { detailOf, front, plan, plans } from './fixture'
import { renderExplorer, stubScreen } from './harness'

beforeEach(() => {
  stubScreen()
  act(() => setLang('en'))
  localStorage.clear()
})

const zeros = [
  plan(1, 0.4, 0.08, 0, { transferred_bytes: 0 }),
  plan(2, 0.48, 0.06, 0.08),
  plan(3, 0.56, 0.05, 0, { transferred_bytes: 0 }),
]
/** The same with a default plan whose balance is zero. */
const balanced = {
  ...front,
  default_plan: { ...front.default_plan, load_balance: 0 },
  objectives: front.objectives.map((one) => (one.key === 'load_balance' ? { ...one, reference: 0 } : one)),
}
const KEYS = ['exec_time_ms', 'energy_j', 'load_balance', 'peak_memory_bytes', 'transferred_bytes']

/** Pixels of every plan in the projection of two measures, and its heights on every parallel axis. */
function drawn(of: typeof front) {
  const model = buildModel(of, INITIAL)
  const ranges = rangesOf(model, KEYS, false, 0.04, null)
  const at = (key: string) => ranges[key] ?? { lo: 0, hi: 1, constant: true, at: 0 }
  const cell = { left: 0, top: 0, width: 100, height: 100, x: at('transferred_bytes'), y: at('load_balance') }
  const ys = shownValues(model, 'load_balance')
  const points = shownValues(model, 'transferred_bytes').map((x, i) => [cellX(cell, x), cellY(cell, ys[i] ?? Number.NaN)])
  const lines = linesOf(model.table, model.scales, KEYS, ranges, { left: 0, right: 400, top: 0, bottom: 100 })
  return { points, heights: [...lines.ys], ranges }
}

describe('values of exactly zero', () => {
  it('are drawn like any other: as many points and lines as plans, inside the axes', () => {
    const { points, heights } = drawn({ ...front, plans: zeros })
    expect(points).toHaveLength(zeros.length)
    expect(heights).toHaveLength(zeros.length * KEYS.length)
    for (const value of [...points.flat(), ...heights]) expect(value >= 0 && value <= 100).toBe(true)
    // Zero stands at the foot of its axis.
    expect(points[0]).toEqual([0, 100])
  })

  it('on all plans make a constant axis, on which all of them are drawn', () => {
    const same = [1, 2, 3].map((n) => plan(n, 0.3 + n / 10, 0.09 - n / 100, 0))
    const { points, heights, ranges } = drawn({ ...balanced, plans: same })
    expect(ranges.load_balance).toMatchObject({ constant: true, at: 0 })
    for (const value of [...points.flat(), ...heights]) expect(value >= 0 && value <= 100).toBe(true)
  })

  it('in the default plan leave a dash for the multiple, never NaN or infinity', async () => {
    const of = {
      ...balanced,
      plans: zeros.map((one) => ({ ...one, load_balance_x: null, multiples: { ...one.multiples, load_balance: null } })),
    }
    const { container } = await renderExplorer({ front: of as unknown as typeof front, query: '?view=table' })
    expect(screen.getByTestId('passing').textContent).toContain('3 of 3')
    expect(container.textContent).not.toMatch(/NaN|Infinity|∞|undefined/)
    expect(container.querySelector('[data-metric=load_balance] .xp-figure-multiple')?.textContent).toContain('–')
  })
})

describe('a front of 5,000 plans', () => {
  it('is counted whole, and its table holds the rows in view alone', async () => {
    const count = 5000
    const many = Array.from({ length: count }, (_, i) => plan(i + 1, 0.4 + i / count, 0.08 - (0.03 * i) / count, 0.1 + (i % 7) / 100, { hash: String(i).padStart(64, '0') }))
    await renderExplorer({ front: { ...front, plans: many }, query: `?view=table&a=${'0'.repeat(12)}` })
    expect(screen.getByTestId('passing').textContent).toContain('5,000 of 5,000')
    const table = screen.getAllByRole('grid').find((one) => one.getAttribute('aria-rowcount') === String(count + 1))
    expect(table).toBeTruthy()
    expect(table?.querySelectorAll('[role=row]').length).toBeLessThan(80)
  }, 20_000)
})

describe('a front that is not here', () => {
  const none = { ...front, plans: [], revision: 0 }

  it('is said to be read, not to hold no plans', async () => {
    await renderExplorer({ front: none, waiting: true })
    expect(screen.getAllByText('Reading the front').length).toBeGreaterThan(1)
    expect(screen.queryByText(/stopped before it found/)).toBeNull()
    expect(screen.queryByText(/^0 generations/)).toBeNull()
  })

  it('is said not to be readable', async () => {
    await renderExplorer({ front: none, waiting: true, error: new Error('no') })
    expect(screen.getByRole('heading', { name: 'The front could not be read' })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
  })
})

describe('marked plans', () => {
  it('are the knee, and the weighted pick once A is another', () => {
    const chosen = buildModel(front, INITIAL)
    expect(marksOf(chosen)).toEqual({ knee: 1, pick: -1 })
    const other = buildModel(front, { ...INITIAL, a: plans[5]?.hash ?? '' })
    expect(other.a).toBe(5)
    expect(marksOf(other)).toEqual({ knee: 1, pick: chosen.a })
  })

  it('are none on a front of one plan', () => {
    expect(marksOf(buildModel({ ...front, plans: [plan(2, 1, 1, 1)] }, INITIAL)).knee).toBe(-1)
  })
})

describe('a plan that cannot be read', () => {
  it('is said at the first failure, while the next try is still to come, and Try again reads it', async () => {
    let up = false
    vi.stubGlobal('fetch', (request: Request) => {
      const number = /plans\/(\d+)\//.exec(request.url)?.[1]
      const found = up ? plans[Number(number) - 1] : undefined
      return Promise.resolve(
        found
          ? Response.json(detailOf(found))
          : Response.json({ error: { code: 'server_error', message: 'It broke.', hint: '', params: {} } }, { status: 503 }),
      )
    })
    await renderExplorer({ unread: 1 })
    const work = screen.getByRole('region', { name: 'Plan A in detail' })
    const again = await within(work).findByRole('button', { name: 'Try again' })
    expect(within(work).queryByText('Reading the plan')).toBeNull()
    up = true
    await userEvent.setup().click(again)
    expect(await within(work).findByTestId('timeline', {}, { timeout: 4000 })).toBeTruthy()
    vi.unstubAllGlobals()
  })
})
