// How the page talks to the server: JSON over fetch with the session's cookie and CSRF token.
import { toApiError } from './errors'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

let csrfToken: string | null = null

/** Called with every session answer; writes carry this token. */
export function setCsrfToken(token: string): void {
  csrfToken = token
}

function csrfFromCookie(): string {
  return /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? ''
}

export function csrfHeaders(): Record<string, string> {
  return { 'X-CSRFToken': csrfToken ?? csrfFromCookie() }
}

export interface RequestOptions {
  body?: unknown
  query?: Record<string, string | number | undefined>
  signal?: AbortSignal
}

export function withQuery(path: string, query: RequestOptions['query']): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

/** Sends one request and returns the parsed answer; raises ApiError (status 0 when the server is unreachable). */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  const init: RequestInit = { method, headers, credentials: 'same-origin', signal: options.signal ?? null }
  if (method !== 'GET') Object.assign(headers, csrfHeaders())
  if (options.body instanceof FormData) init.body = options.body
  else if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json'
    init.body = JSON.stringify(options.body)
  }
  let response: Response
  try {
    response = await fetch(withQuery(path, options.query), init)
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    throw toApiError(0, null)
  }
  if (response.status === 204) return undefined as T
  const text = await response.text()
  const answer = parse(text, response.headers.get('Content-Type') ?? '')
  if (!response.ok) throw toApiError(response.status, answer)
  return answer as T
}

function parse(text: string, type: string): unknown {
  if (!type.includes('json')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
