// A part of the application that cannot be fetched: what the page says, and that nothing reloads by itself.
import { screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'

import { openApp } from '../test/fakeServer'
import { part, PartMissing } from './parts'

vi.mock('../pages/pools/PoolsPage', () => {
  throw new TypeError('Failed to fetch dynamically imported module: /static/web/assets/PoolsPage-old.js')
})

describe('a part that is gone', () => {
  it('is said with what to do, and the bar stays', async () => {
    openApp('/pools')
    expect(await screen.findByRole('heading', { name: 'A part of this page could not be loaded' })).toBeTruthy()
    expect(screen.getByText(/The server may have been updated/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Load the page again' })).toBeTruthy()
    expect(screen.getByRole('navigation', { name: 'Main' })).toBeTruthy()
    // The router would note here that it reloads.
    expect(sessionStorage).toHaveLength(0)
  })

  it('rejects with its own kind of error, whatever failed', async () => {
    await expect(part(() => Promise.reject(new Error('Unable to preload CSS')), [])).rejects.toBeInstanceOf(PartMissing)
    expect(await part(() => Promise.resolve({ Page: 1 }), ['team'])).toEqual({ Page: 1 })
  })
})
