// How the page talks to the server: the typed client of the OpenAPI schema, with the CSRF token and one kind of error.
import createClient, { type Middleware } from 'openapi-fetch'

import { toApiError, withTexts } from './errors'
import type { paths } from './schema'

let csrfToken: string | null = null

/** Called with every session answer; writes carry this token. */
export function setCsrfToken(token: string): void {
  csrfToken = token
}

function csrfFromCookie(): string {
  return /(?:^|;\s*)heteroopt_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
}

export function csrfHeaders(): Record<string, string> {
  return { 'X-CSRFToken': csrfToken ?? csrfFromCookie() }
}

const csrf: Middleware = {
  onRequest({ request }) {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      for (const [name, value] of Object.entries(csrfHeaders())) request.headers.set(name, value)
    }
    return request
  },
}

export const api = createClient<paths>({
  baseUrl: typeof location === 'undefined' ? '' : location.origin,
  credentials: 'same-origin',
  headers: { Accept: 'application/json' },
  fetch: (request) => globalThis.fetch(request),
})
api.use(csrf)

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Returns the answer's data; raises ApiError when it is an error, or with status 0 when the server is unreachable. */
export async function unwrap<T>(sent: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>
  try {
    answer = await sent
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw await withTexts(toApiError(0, null))
  }
  if (!answer.response.ok) throw await withTexts(toApiError(answer.response.status, answer.error))
  return answer.data as T
}
