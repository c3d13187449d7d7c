// Which profiles a device uses once another one is chosen.
import { describe, expect, it } from 'vitest'

import type { ModelProfile } from '../api/profiles'
import { healthyPlaces } from './places'
import { withProfile } from './PoolProfiles'

const row = (id: string, model: string) => ({ id, model }) as ModelProfile
const A = row('a', 'resnet')
const B = row('b', 'resnet')
const ROWS = [A, B, row('c', 'bert')]

describe('profiles of a pool', () => {
  it('replaces the one of the same model and keeps those of others', () => {
    expect(withProfile({ gpu0: ['a', 'c'], cpu0: ['a'] }, 'gpu0', B, ROWS)).toEqual({ gpu0: ['c', 'b'], cpu0: ['a'] })
    expect(withProfile({}, 'gpu0', A, ROWS)).toEqual({ gpu0: ['a'] })
    expect(withProfile({ gpu0: ['a'] }, 'gpu0', A, ROWS)).toEqual({ gpu0: ['a'] })
  })

  it('offers healthy devices only', () => {
    const device = (id: string, state: string) => ({ id, state, name: id })
    const hosts = [{ name: 'h', runtimes: [{ name: 'r', devices: [device('one', 'healthy'), device('two', 'faulty')] }] }]
    expect(healthyPlaces(hosts as never)).toEqual([{ id: 'one', title: 'h · r · one' }])
  })
})
