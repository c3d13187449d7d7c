// Every message exists in both languages, with the same parameters and in the house style.
import { describe, expect, it } from 'vitest'

import { catalogue } from './catalogue'
import { paramNames } from './format'

const entries = Object.entries(catalogue)

describe('the catalogue', () => {
  it.each(entries)('%s has both languages and the same parameters', (_, [en, zh]) => {
    expect(en.trim()).not.toBe('')
    expect(zh.trim()).not.toBe('')
    expect(paramNames(zh)).toEqual(paramNames(en))
  })

  it('uses no exclamation mark, and full-width punctuation between Chinese characters', () => {
    const loud = entries.filter(([, texts]) => texts.some((text) => /[!！]/.test(text)))
    const half = entries.filter(([, [, zh]]) => /[\u4e00-\u9fff][,;:?](?=[\u4e00-\u9fff\s]|$)|[\u4e00-\u9fff]\.$/.test(zh))
    expect(loud.map(([key]) => key)).toEqual([])
    expect(half.map(([key]) => key)).toEqual([])
  })

  it('puts a space between Chinese and Latin letters or figures', () => {
    const tight = entries.filter(([, [, zh]]) => {
      const plain = zh.replace(/\{[^{}]*\}/g, '')
      return /[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9][\u4e00-\u9fff]/.test(plain)
    })
    expect(tight.map(([key]) => key)).toEqual([])
  })
})
