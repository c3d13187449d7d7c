// Every code that the server can send has its texts, which use only the parameters that always come with it.
import { describe, expect, it } from 'vitest'

import { catalogue } from './catalogue'
import codes from './codes.json'
import { paramNames } from './format'

const texts: Record<string, readonly [string, string] | undefined> = catalogue

// What the page itself adds: what would get better, in words; how much too large it is.
const ADDED: Record<string, string[]> = { 'reason.better_elsewhere': ['gains'], 'explorer.alt.exceeds_memory': ['size'] }
// What the page itself finds out.
const OWN = new Set(['offline', 'unexpected', 'upload_cancelled', 'file_too_large'])
// "ok" means that nothing need be said.
const SILENT = new Set(['explorer.alt.ok'])

function entries(): [key: string, params: string[]][] {
  const { hint, ...families } = codes
  const named = Object.entries(families).flatMap(([family, list]) =>
    Array.isArray(list)
      ? list.map((code): [string, string[]] => [`${family}.${code}`, []])
      : Object.entries(list).map(([code, params]): [string, string[]] => [`${family}.${code}`, params]),
  )
  const errors: Record<string, string[]> = codes.error
  const hints = hint.map((code): [string, string[]] => [`hint.${code}`, errors[code] ?? []])
  return [...named, ...hints].filter(([key]) => !SILENT.has(key))
}

describe('the codes of the server', () => {
  it.each(entries())('%s has its texts', (key, params) => {
    const known = [...params, ...(ADDED[key] ?? [])]
    const text = texts[key]
    expect(text, `${key} has no text in messages/`).toBeDefined()
    const unknown = paramNames(text?.[0] ?? '').filter((name) => !known.includes(name))
    expect(unknown, `${key} is not always raised with these`).toEqual([])
  })

  it('are all that there are texts for', () => {
    const sent = new Set(entries().map(([key]) => key))
    const unsent = Object.keys(catalogue).filter((key) => {
      const [, family, code] = /^(error|hint|note|detail|reason|team\.act)\.([\w.]+)$/.exec(key) ?? []
      return family !== undefined && !sent.has(key) && !OWN.has(code ?? '') && !sent.has(`error.${code}`)
    })
    expect(unsent, 'nothing sends these').toEqual([])
  })

  it('of acts in the audit log can be chosen by what they are about', () => {
    const kinds = new Set(codes['team.act'].filter((act) => act.includes('.')).map((act) => `team.kind.${act.split('.')[0] ?? ''}`))
    expect(Object.keys(catalogue).filter((key) => key.startsWith('team.kind.')).sort()).toEqual([...kinds].sort())
  })
})
