// Reads a text/event-stream over fetch, so that a new stream can resume with Last-Event-ID.

export interface StreamEvent {
  event: string
  id: string
  data: string
}

/** Splits a growing text into events; call the returned function with every piece. */
export function eventParser(onEvent: (event: StreamEvent) => void): (piece: string) => void {
  let rest = ''
  let name = ''
  let id = ''
  let data: string[] = []
  const line = (text: string) => {
    if (text === '') {
      if (data.length) onEvent({ event: name || 'message', id, data: data.join('\n') })
      name = ''
      data = []
      return
    }
    if (text.startsWith(':')) return
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'id') id = value
  }
  return (piece) => {
    rest += piece
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    lines.forEach(line)
  }
}

export interface StreamOptions {
  lastEventId: string | null
  signal: AbortSignal
  onEvent: (event: StreamEvent) => void
}

/** Reads one stream to its end. Raises when it cannot be opened; ends quietly when aborted. */
export async function readStream(path: string, { lastEventId, signal, onEvent }: StreamOptions): Promise<void> {
  const headers: Record<string, string> = { Accept: 'text/event-stream' }
  if (lastEventId) headers['Last-Event-ID'] = lastEventId
  const response = await fetch(path, { headers, signal, credentials: 'same-origin', cache: 'no-store' })
  if (!response.ok || !response.body) throw new Error(`The stream answered ${response.status}.`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const push = eventParser(onEvent)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    push(value)
  }
}
