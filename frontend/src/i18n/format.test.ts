// The message formatter: values, fixed digits, plurals in both languages, malformed templates.
import { describe, expect, it } from 'vitest'

import { formatMessage, paramNames } from './format'

describe('formatMessage', () => {
  it('fills in texts as they are and numbers as the language writes them', () => {
    expect(formatMessage('{name} has {n}', 'en', { name: 'gpu0', n: 12345.5 })).toBe('gpu0 has 12,345.5')
    expect(formatMessage('{x, number, 2}', 'zh', { x: 0.7 })).toBe('0.70')
  })

  it('chooses the plural branch, with exact counts first', () => {
    const text = '{n, plural, =0 {no plans at all} one {# plan} other {# plans}}'
    expect([0, 1, 1200].map((n) => formatMessage(text, 'en', { n }))).toEqual(['no plans at all', '1 plan', '1,200 plans'])
    expect(formatMessage(text, 'zh', { n: 1 })).toBe('1 plans')
  })

  it('keeps parameters inside branches and leaves missing ones visible', () => {
    expect(formatMessage('{n, plural, other {# in {place}}}', 'en', { n: 2, place: 'a pool' })).toBe('2 in a pool')
    expect(formatMessage('Plan {number}', 'en')).toBe('Plan {number}')
  })

  it('names parameters once, sorted, nested ones too', () => {
    expect(paramNames('{b} {n, plural, one {# in {a}} other {# of {b}}}')).toEqual(['a', 'b', 'n'])
  })

  it.each(['{', '{n, plural, one {#}}', '{n, date}', '{a b}'])('refuses %s', (text) => {
    expect(() => paramNames(text)).toThrow()
  })
})
