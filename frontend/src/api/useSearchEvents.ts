// Live progress of one search: one stream a browser, closed while the page is hidden, resumed where it stopped.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { keys } from './queries'
import { readStream } from './sse'
import type { Search, SearchProgress, SearchState } from './types'

export type Connection = 'idle' | 'open' | 'waiting'

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 8000

export function isFinal(state: SearchState): boolean {
  return state !== 'queued' && state !== 'running'
}

/** Writes every event into the cached search; returns whether the stream is open or waits to reconnect. */
export function useSearchEvents(searchId: string, enabled: boolean): Connection {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('idle')

  useEffect(() => {
    if (!enabled) return
    let controller: AbortController | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastEventId: string | null = null
    let retryMs = FIRST_RETRY_MS
    let finished = false
    const isOver = () => finished

    const receive = (data: string) => {
      const progress = JSON.parse(data) as SearchProgress
      client.setQueryData<Search>(keys.search(searchId), (old) => 
        old && old.revision <= progress.revision ? { ...old, ...progress } : old,
      )
      if (isFinal(progress.state)) {
        finished = true
        void client.invalidateQueries({ queryKey: keys.searches })
      }
    }

    const open = async () => {
      if (document.hidden || isOver() || controller) return
      const mine = new AbortController()
      controller = mine
      setConnection('open')
      try {
        await readStream(`/api/searches/${searchId}/events/`, {
          lastEventId,
          signal: mine.signal,
          onEvent: ({ event, id, data }) => {
            if (id) lastEventId = id
            retryMs = FIRST_RETRY_MS
            if (event === 'progress') receive(data)
          },
        })
      } catch {
        // A broken stream is normal; the retry below takes it up again.
      }
      if (mine.signal.aborted) return
      controller = null
      if (isOver()) {
        setConnection('idle')
        return
      }
      setConnection('waiting')
      timer = setTimeout(() => void open(), retryMs)
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
    }

    const close = () => {
      clearTimeout(timer)
      controller?.abort()
      controller = null
    }

    const onVisibility = () => {
      if (document.hidden) {
        close()
        setConnection('idle')
      } else void open()
    }

    document.addEventListener('visibilitychange', onVisibility)
    void open()
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      close()
    }
  }, [client, enabled, searchId])

  return enabled ? connection : 'idle'
}
