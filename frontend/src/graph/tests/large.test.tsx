// Large graphs: laid out by a worker, which is given up when something else is folded or a person stops it.
import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { GraphData } from '../data'
import { GraphView } from '../GraphView'
import type { LayoutAnswer, LayoutRequest } from '../layout-messages'
import { layScene } from '../scene'
import { scopeTree } from '../scopes'
import { graphOf } from './graphs'

const workers: FakeWorker[] = []

class FakeWorker {
  onmessage: ((event: MessageEvent<LayoutAnswer>) => void) | null = null
  onerror: ((event: ErrorEvent) => void) | null = null
  isEnded = false
  private graph: GraphData | null = null
  readonly asked: number[][] = []

  constructor() {
    workers.push(this)
  }

  postMessage(request: LayoutRequest) {
    if ('graph' in request) this.graph = request.graph
    else this.asked.push([...request.folded])
  }

  terminate() {
    this.isEnded = true
  }

  answer() {
    const graph = this.graph
    if (!graph) throw new Error('no graph')
    const placed = layScene(graph, scopeTree(graph), new Set(this.asked.at(-1)))
    act(() => this.onmessage?.(new MessageEvent('message', { data: { placed } })))
  }
}

const LARGE = graphOf(Array.from({ length: 3000 }, (_, i) => `net/block${i % 30}/op${i}`), [])
const only = () => {
  expect(workers).toHaveLength(1)
  return workers[0] as FakeWorker
}
const show = () => render(<GraphView graph={LARGE} title={null} label="graph" operator={null} onOperator={() => undefined} />)

beforeEach(() => {
  workers.length = 0
  vi.stubGlobal('Worker', FakeWorker)
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))
})
afterEach(() => vi.unstubAllGlobals())

describe('a large graph', () => {
  it('is drawn once its worker has laid it out', () => {
    show()
    expect(screen.queryByTestId('graph')).toBeNull()
    expect(screen.getByText(/Laying out 30 nodes/)).toBeTruthy()
    only().answer()
    expect(screen.getByTestId('graph').dataset.nodes).toBe('30')
    expect(screen.queryByText(/Laying out/)).toBeNull()
  })

  it('says that it was stopped, and can be drawn after all', async () => {
    show()
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
    expect(only().isEnded).toBe(true)
    expect(screen.getByText(/The layout was stopped/)).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Draw it' }))
    workers[1]?.answer()
    expect(screen.getByTestId('graph').dataset.nodes).toBe('30')
  })

  it('keeps the drawing before while another one is made, and goes back to it when that is stopped', async () => {
    show()
    only().answer()
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Scopes' }), '0')
    expect(screen.getByTestId('graph').dataset.nodes).toBe('30')
    expect(screen.getByText(/Laying out 3,?000 nodes/)).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
    expect(only().isEnded).toBe(true)
    expect(screen.queryByText(/Laying out/)).toBeNull()
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Scopes' }).value).not.toBe('0')

    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Scopes' }), '0')
    workers[1]?.answer()
    expect(screen.getByTestId('graph').dataset.nodes).toBe('3000')
  })

  it('says why it cannot be laid out', () => {
    show()
    act(() => only().onmessage?.(new MessageEvent('message', { data: { failed: 'a cycle' } })))
    expect(screen.getByText(/cannot be laid out: a cycle/)).toBeTruthy()
  })
})
