// The live stream: events reach the cached search, a broken stream resumes where it stopped, hidden pages close it.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { keys } from './queries'
import type { Search } from './types'
import { useSearchEvents } from './useSearchEvents'

const ID = 'c0ffee00-0000-4000-8000-000000000000'

interface Stream {
  lastEventId: string | null
  send: (revision: number, state: string) => void
  end: () => void
  aborted: () => boolean
}

function fakeStreams(): Stream[] {
  const streams: Stream[] = []
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    let writer: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (writer = controller) })
    init.signal?.addEventListener('abort', () => writer.error(new DOMException('stopped', 'AbortError')))
    streams.push({
      lastEventId: new Headers(init.headers).get('Last-Event-ID'),
      send: (revision, state) => {
        const data = JSON.stringify({ id: ID, revision, state, generation: revision })
        writer.enqueue(new TextEncoder().encode(`id: ${revision}\nevent: progress\ndata: ${data}\n\n`))
      },
      end: () => writer.close(),
      aborted: () => init.signal?.aborted ?? false,
    })
    return Promise.resolve(new Response(body))
  })
  return streams
}

function Probe() {
  return <p>{useSearchEvents(ID, true)}</p>
}

function start() {
  const client = new QueryClient()
  client.setQueryData(keys.search(ID), { id: ID, revision: 1, generation: 1, state: 'queued' })
  const view = render(
    <QueryClientProvider client={client}>
      <Probe />
    </QueryClientProvider>,
  )
  return { view, search: () => client.getQueryData<Search>(keys.search(ID)) }
}

function hide(hidden: boolean) {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
}

afterEach(() => {
  hide(false)
  vi.unstubAllGlobals()
})

describe('useSearchEvents', () => {
  it('writes newer events into the cache and resumes a broken stream after the last one', async () => {
    const streams = fakeStreams()
    const { search } = start()
    streams[0]?.send(5, 'running')
    await waitFor(() => expect(search()?.generation).toBe(5))
    streams[0]?.send(4, 'running')
    streams[0]?.end()
    await waitFor(() => expect(streams).toHaveLength(2), { timeout: 3000 })
    expect(streams[1]?.lastEventId).toBe('4')
    expect(search()?.generation).toBe(5)
  })

  it('ends with the final state and does not reconnect', async () => {
    const streams = fakeStreams()
    const { view, search } = start()
    streams[0]?.send(9, 'done')
    streams[0]?.end()
    await waitFor(() => expect(view.container.textContent).toBe('idle'))
    expect(search()?.state).toBe('done')
    expect(streams).toHaveLength(1)
  })

  it('closes while the page is hidden and opens again', async () => {
    const streams = fakeStreams()
    start()
    await waitFor(() => expect(streams).toHaveLength(1))
    hide(true)
    expect(streams[0]?.aborted()).toBe(true)
    hide(false)
    await waitFor(() => expect(streams).toHaveLength(2))
  })
})
