// What terms mean: by keyboard and by pointer, in both languages, and which terms are explained where they appear.
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import { setLang } from '../../i18n'
import { textOf } from '../../i18n/texts'
import { helpTexts } from '../texts/help'
import { renderExplorer, stubScreen } from './harness'

beforeEach(() => {
  stubScreen()
  act(() => setLang('en'))
  localStorage.clear()
})

const about = (term: string) => screen.getByRole('button', { name: `What is this? ${term}` })

describe('help where a term appears', () => {
  it('opens by Enter, is read out with its term, and gives the focus back on Escape', async () => {
    const user = userEvent.setup()
    const { history } = await renderExplorer({ query: '?op=1' })
    const knee = about('Knee')
    knee.focus()
    await user.keyboard('{Enter}')
    const text = await screen.findByRole('dialog', { name: 'Knee' })
    expect(document.getElementById(text.getAttribute('aria-describedby') ?? '')?.textContent).toContain('where the front bends most')
    expect(knee.getAttribute('aria-expanded')).toBe('true')
    expect(text.contains(document.activeElement)).toBe(true)
    await user.keyboard('{Escape}')
    expect(screen.queryByRole('dialog')).toBeNull()
    await waitFor(() => expect(document.activeElement).toBe(knee))
    // Escape closed the help alone: the operator is still selected.
    expect(history.location.search).toContain('op=1')
  })

  it('opens by a tap, one at a time', async () => {
    const user = userEvent.setup()
    await renderExplorer()
    await user.pointer([{ keys: '[TouchA]', target: about('Pareto front') }])
    expect(await screen.findByRole('dialog', { name: 'Pareto front' })).toBeTruthy()
    await user.click(about('Pin'))
    expect(screen.queryByRole('dialog', { name: 'Pareto front' })).toBeNull()
    expect(await screen.findByRole('dialog', { name: 'Pin' })).toBeTruthy()
  })

  it('stands beside every term of the page, once', async () => {
    await renderExplorer()
    const card = within(screen.getByRole('complementary', { name: 'Plan' }))
    for (const term of ['Time (makespan)', 'Balance (load balance)', 'Segment', 'Critical path', 'Lower bound and gap'])
      expect(card.getAllByRole('button', { name: `What is this? ${term}` })).toHaveLength(1)
    for (const term of ['Hypervolume', 'Items in flight']) expect(about(term)).toBeTruthy()
  })

  it('has a text in both languages for every name', () => {
    const names = Object.keys(helpTexts).filter((key) => key !== 'help.about' && !key.endsWith('.text'))
    expect(names).toHaveLength(15)
    for (const key of names) {
      for (const lang of ['en', 'zh'] as const) {
        expect(textOf(key, lang)).toBeTruthy()
        expect((textOf(`${key}.text`, lang) ?? '').length).toBeGreaterThan(20)
      }
    }
  })
})
