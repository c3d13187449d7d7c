// Texts by area and language: loaded once, missing ones said, a failure tried again, a language switched when it is whole.
import { beforeEach, describe, expect, it, vi } from 'vitest'

const asked: string[] = []
let fails = false
const loader = (area: string, lang: string) => () => {
  asked.push(`${area}-${lang}`)
  return fails ? Promise.reject(new TypeError('gone')) : Promise.resolve({ default: { [`${area}.title`]: `${area} in ${lang}` } })
}
vi.mock('virtual:texts', () => ({
  loaders: Object.fromEntries(['team', 'pools'].map((area) => [area, { en: loader(area, 'en'), zh: loader(area, 'zh') }])),
}))

beforeEach(() => {
  vi.resetModules()
  asked.length = 0
  fails = false
  document.documentElement.lang = 'en'
})

describe('texts', () => {
  it('of the shell are there in both languages from the start', async () => {
    const { textOf } = await import('./texts')
    expect([textOf('common.close', 'en'), textOf('common.close', 'zh')]).toEqual(['Close', '关闭'])
    expect([textOf('error.offline', 'en'), textOf('error.offline', 'zh')]).toEqual(['The server does not answer', '服务器没有响应'])
  })

  it('of an area come once, in the language that is asked for alone', async () => {
    const { hasTexts, loadTexts, textOf } = await import('./texts')
    await Promise.all([loadTexts(['team'], 'en'), loadTexts(['team'], 'en')])
    expect(asked).toEqual(['team-en'])
    expect([textOf('team.title', 'zh'), hasTexts('en'), hasTexts('zh')]).toEqual(['团队', true, false])
  })

  it('that are not there say so once and show their key', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { textOrKey } = await import('./texts')
    expect([textOrKey('pool.nowhere', 'zh'), textOrKey('pool.nowhere', 'zh')]).toEqual(['pool.nowhere', 'pool.nowhere'])
    expect(said.mock.calls).toEqual([['No text for pool.nowhere in zh']])
  })

  it('that could not be fetched are asked for again', async () => {
    const { loadTexts } = await import('./texts')
    fails = true
    await expect(loadTexts(['pools'], 'en')).rejects.toThrow('gone')
    fails = false
    await loadTexts(['pools'], 'en')
    expect(asked).toEqual(['pools-en', 'pools-en'])
  })
})

describe('switching the language', () => {
  it('is at once when the texts were fetched ahead, and keeps the language where they cannot be had', async () => {
    const { loadTexts } = await import('./texts')
    const { getLang, prepareLang, switchLang } = await import('./language')
    await loadTexts(['team', 'pools'], 'en')
    fails = true
    await expect(switchLang('zh')).rejects.toThrow('gone')
    expect(getLang()).toBe('en')
    fails = false
    prepareLang('zh')
    await vi.waitFor(() => expect(asked.filter((one) => one.endsWith('zh'))).toHaveLength(4))
    await Promise.resolve()
    void switchLang('zh')
    expect([getLang(), document.documentElement.lang]).toEqual(['zh', 'zh-CN'])
  })
})
