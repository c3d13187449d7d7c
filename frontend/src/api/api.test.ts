// Errors as people read them, the event stream's parser, and what the client sends.
import { afterEach, describe, expect, it, vi } from 'vitest'

import { api, setCsrfToken, unwrap } from './client'
import { ApiError, errorText, toApiError } from './errors'
import { eventParser, type StreamEvent } from './sse'

function answering(status: number, body: unknown) {
  const sent: Request[] = []
  const respond = (request: Request) => {
    sent.push(request)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = typeof body === 'string' ? 'text/html' : 'application/json'
    return Promise.resolve(new Response(text, { status, headers: { 'Content-Type': type } }))
  }
  vi.stubGlobal('fetch', respond)
  return sent
}

afterEach(() => vi.unstubAllGlobals())

describe('errors', () => {
  it('translates by code with parameters, and falls back to the sentence of the server', () => {
    const range = { code: 'out_of_range', message: 'x', hint: '', params: { value: 5, low: 0, high: 1, unit: 'W' } }
    expect(errorText(toApiError(400, { error: range }), 'en').title).toBe('5 is outside 0 to 1 W')
    expect(errorText(toApiError(400, { error: range }), 'zh').title).toBe('5 不在 0 到 1 W 之内')
    const unheard = { code: 'never_heard_of', message: 'Said the server.', hint: 'Do this.', params: {} }
    expect(errorText(toApiError(400, { error: unheard }), 'zh')).toEqual({ title: 'Said the server.', hint: 'Do this.' })
  })

  it('names the fields of an error that consists of others', () => {
    const inside = (name: string) => ({ field: 'devices.0.template', code: 'unknown_template', message: 'x', params: { name } })
    const body = { code: 'pool_invalid', message: 'x', hint: 'y', params: { errors: [inside('A'), inside('B'), inside('C'), inside('D')] } }
    const { title, hint } = errorText(toApiError(400, { error: body }), 'en')
    expect(title).toBe('The pool cannot be used as it is')
    expect(hint).toContain('devices.0.template: There is no device template A; devices.0.template: There is no device template B')
    expect(hint).not.toContain('D')
    expect(errorText(toApiError(400, { error: { ...body, params: { errors: [] } } }), 'en').hint).toContain('Correct')
  })

  it('says of a figure that cannot be right whose it is, what is possible, and what to do', () => {
    const params = { where: 'device gpu0', field: 'x', value: 0.01555, low: 0.1555, high: 15_550_000, why: 'y' }
    const one = { field: 'devices.0.memory_bandwidth_gb_per_s', code: 'implausible', message: 'x', params }
    const error = { code: 'pool_invalid', message: 'x', hint: 'y', params: { errors: [one, { ...one, field: 'devices.1.idle_power_w' }] } }
    const said = 'gpu0.memory_bandwidth_gb_per_s: 0.01555 cannot be right here: 0.1555 to 15,550,000 is possible; gpu0.idle_power_w: '
    const { hint } = errorText(toApiError(400, { error }), 'en')
    expect(hint.startsWith(said)).toBe(true)
    expect(hint.match(/Check the unit/g)).toHaveLength(1)
    expect(errorText({ ...one, hint: '' }, 'zh', { label: 'TB/s', factor: 1000 }).title).toBe('0.00001555 在此不可能：合理范围为 0.0001555 到 15,550')
  })

  it('says what exactly is wrong in the language of the page', () => {
    const params = { row: 4, detail: 'cells', reason: 'it has 1 cells, the heading 3', cells: 1, headings: 3 }
    const row = { code: 'placement_row', message: 'Row 4 ...', hint: 'x', params }
    expect(errorText(row, 'en').title).toBe('Row 4: it has 1 cell, the heading has 3')
    expect(errorText(row, 'zh').title).toBe('第 4 行：有 1 个单元格，而标题有 3 个')
    const later = { ...row, params: { row: 4, detail: 'never_heard_of', reason: 'it is odd' } }
    expect(errorText(later, 'zh').title).toBe('第 4 行：it is odd')
  })

  it('makes an error of answers without an envelope and of no answer at all', () => {
    expect(toApiError(404, '<html>').code).toBe('not_found')
    expect(toApiError(502, null).code).toBe('server_error')
    expect(errorText(toApiError(0, null), 'en').title).toBe('The server does not answer')
  })
})

describe('the client', () => {
  it('sends the CSRF token with writes only', async () => {
    setCsrfToken('token-1')
    const sent = answering(200, { id: 'x' })
    await unwrap(api.GET('/api/session/'))
    await unwrap(api.POST('/api/searches/sample/'))
    expect(sent.map((request) => request.headers.get('X-CSRFToken'))).toEqual([null, 'token-1'])
  })

  it('raises what the server says, and "offline" when it says nothing', async () => {
    answering(409, { error: { code: 'model_busy', message: 'm', hint: 'h', params: {} } })
    await expect(unwrap(api.POST('/api/searches/sample/'))).rejects.toMatchObject({ status: 409, code: 'model_busy' })
    answering(500, '<h1>down</h1>')
    await expect(unwrap(api.GET('/api/session/'))).rejects.toMatchObject({ status: 500, code: 'server_error' })
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed')))
    const error: unknown = await unwrap(api.GET('/api/session/')).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 0, code: 'offline' })
  })
})

describe('eventParser', () => {
  const parse = (...pieces: string[]) => {
    const events: StreamEvent[] = []
    const push = eventParser((event) => events.push(event))
    pieces.forEach(push)
    return events
  }

  it('reads events cut anywhere, with comments, CRLF and several data lines', () => {
    const text = ': hello\r\nid: 7\r\nevent: progress\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata: x\n\n'
    const whole = parse(text)
    expect(whole).toEqual([
      { event: 'progress', id: '7', data: '{"a":\n1}' },
      { event: 'message', id: '7', data: 'x' },
    ])
    expect(parse(...Array.from(text))).toEqual(whole)
  })

  it('gives nothing for an unfinished event', () => {
    expect(parse('event: progress\ndata: 1\n')).toEqual([])
  })
})
