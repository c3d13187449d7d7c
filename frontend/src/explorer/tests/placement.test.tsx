// A placement made by hand: sent as it is, shown beside plan A, refused with the row that is wrong.
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'

import { front } from './fixture'
import { renderExplorer, stubScreen } from './harness'

const [plan] = front.plans
const EVALUATED = {
  ...plan,
  number: null,
  values: { ...plan?.values, exec_time_ms: 5 },
  multiples: { ...plan?.multiples, exec_time_ms: 2.5 },
  overflow_bytes: 0,
  position: { relation: 'dominated', dominated_by: [1, 3], dominates: [], equal_to: [] },
  messages: [{ code: 'placement_ordered_by_rank', params: {} }],
}

function serve(status: number, answer: unknown) {
  const bodies: string[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const asked = request.url.endsWith('/evaluate/')
    if (asked) bodies.push(await request.text())
    return new Response(JSON.stringify(asked ? answer : {}), {
      status: asked ? status : 404,
      headers: { 'Content-Type': 'application/json' },
    })
  })
  return bodies
}

async function open() {
  await renderExplorer()
  await userEvent.click(await screen.findByRole('button', { name: 'Evaluate a placement' }))
  return within(await screen.findByRole('dialog'))
}

beforeEach(stubScreen)

it('shows what a pasted placement comes to, and where it stands', async () => {
  const bodies = serve(200, EVALUATED)
  const dialog = await open()
  await userEvent.type(dialog.getByLabelText('Placement, as CSV or JSON'), 'operator,device\nstem,gpu0')
  await userEvent.click(dialog.getByRole('button', { name: 'Evaluate' }))
  const result = within(await dialog.findByTestId('placement'))
  expect(result.getByText('5.00 ms')).toBeInTheDocument()
  expect(result.getByText('× 2.50')).toBeInTheDocument()
  expect(result.getByText(/in every figure: 1, 3$/)).toBeInTheDocument()
  expect(result.getByText(/longest remaining path/)).toBeInTheDocument()
  expect(bodies).toEqual(['operator,device\nstem,gpu0'])
})

it('names the row that is wrong', async () => {
  const params = { row: 2, detail: 'names_empty', reason: 'x' }
  serve(400, { error: { code: 'placement_row', message: 'x', hint: '', params } })
  const dialog = await open()
  await userEvent.upload(document.querySelector('.dialog input[type=file]') as HTMLInputElement, new File(['operator,device\n,gpu0'], 'p.csv', { type: 'text/csv' }))
  expect(await dialog.findByText('Row 2: the operator or the device is empty')).toBeInTheDocument()
  expect(dialog.getByLabelText('Placement, as CSV or JSON')).toHaveValue('operator,device\n,gpu0')
})
