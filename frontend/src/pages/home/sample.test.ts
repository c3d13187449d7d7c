// What the sample card says: of which search, on which devices.
import { describe, expect, it } from 'vitest'

import type { Model, Pool, Search } from '../../api/types'
import { findSample, listDevices } from './sample'

describe('listDevices', () => {
  it('counts equal devices and joins the last with "and"', () => {
    const devices = ['A100 40G', 'A100 40G', 'Xeon 8480', 'Ascend 910'].map((display_name) => ({ display_name }))
    expect(listDevices(devices, ', ', ' and ')).toBe('2 × A100 40G, Xeon 8480 and Ascend 910')
    expect(listDevices(devices.slice(0, 1), ', ', ' and ')).toBe('A100 40G')
  })
})

describe('findSample', () => {
  const models = [{ id: 'own', is_sample: false }, { id: 'first', is_sample: true }, { id: 'second', is_sample: true }] as Model[]
  const pools = [{ id: 'p', is_sample: true }] as Pool[]
  const search = (id: string, model: string, n_plans: number) =>
    ({ id, state: 'done', n_plans, model: { id: model }, pool: { id: 'p' } }) as Search

  it('tells of the search that its button starts, whatever else was searched since', () => {
    const searches = [search('c', 'second', 9), search('b', 'first', 1), search('a', 'first', 9)]
    const { model, pool, lastSearch } = findSample(models, pools, searches)
    expect([model?.id, pool?.id, lastSearch?.id]).toEqual(['first', 'p', 'a'])
  })
})
