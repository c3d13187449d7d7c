// Edits of a pool: names follow, links go with their devices, bad numbers are seen.
import { describe, expect, it } from 'vitest'

import type { PoolSpec } from '../../api/types'
import { applyOperatorMap, EDITED_SOURCE, findLink, freeName, hasBadNumber, removeDevice, renameDevice, setSlowdown, sharedMemories, updateFigure } from './draft'
import { marksOf } from './DevicesTable'

const POOL: PoolSpec = {
  name: 'p',
  default_device: 'gpu0',
  devices: [
    { name: 'gpu0', device_type: 'GPU' },
    { name: 'cpu0', device_type: 'CPU' },
    { name: 'gpu1', device_type: 'GPU' },
  ],
  links: [
    { source: 'gpu0', target: 'cpu0' },
    { source: 'cpu0', target: 'gpu1', directed: true },
  ],
}

describe('a pool draft', () => {
  it('renames a device with its links and the default device', () => {
    const next = renameDevice(POOL, 0, 'big')
    expect(next.devices.map((device) => device.name)).toEqual(['big', 'cpu0', 'gpu1'])
    expect(next.default_device).toBe('big')
    expect(next.links?.[0]).toEqual({ source: 'big', target: 'cpu0' })
  })

  it('says and takes off how much devices of a shared memory slow each other', () => {
    const devices = POOL.devices.map((device, at) => ({ ...device, memory_domain: at < 2 ? 'ram' : 'own' }))
    const shared = { ...POOL, devices }
    expect(sharedMemories(shared)).toEqual(['ram'])
    const slowed = setSlowdown(shared, 'ram', 2.5)
    expect(slowed.memory_domains).toEqual({ ram: { slowdown: 2.5, source: 'given' } })
    expect(sharedMemories({ ...slowed, devices: POOL.devices })).toEqual(['ram'])
    expect(setSlowdown(slowed, 'ram', null).memory_domains).toEqual({})
  })

  it('takes over an operator map, and gives back what an earlier one took off', () => {
    const device = { name: 'gpu0', unsupported_ops: ['Loop'], sources: { idle_power_w: 'data sheet' } }
    const one = { ...device, ...applyOperatorMap(device, { GRU: 'no kernel', Loop: 'no loops' }, 'map of a') }
    expect(one.unsupported_ops).toEqual(['GRU', 'Loop'])
    expect(one.sources).toEqual({ idle_power_w: 'data sheet', unsupported_ops: 'map of a', 'unsupported_ops.GRU': 'no kernel' })
    expect(applyOperatorMap(one, { If: 'no branches' }, 'map of b')).toEqual({
      unsupported_ops: ['If', 'Loop'],
      sources: { idle_power_w: 'data sheet', unsupported_ops: 'map of b', 'unsupported_ops.If': 'no branches' },
    })
    expect(applyOperatorMap(one, {}, null)).toEqual({ unsupported_ops: ['Loop'], sources: device.sources })
  })

  it('leaves links alone while two devices bear one name', () => {
    const twins = renameDevice(POOL, 2, 'gpu0')
    const apart = renameDevice(twins, 2, 'gpu9')
    expect(apart.links?.[0]?.source).toBe('gpu0')
  })

  it('removes a device with its links, and the default if it was that', () => {
    const next = removeDevice(POOL, 0)
    expect(next.links).toEqual([{ source: 'cpu0', target: 'gpu1', directed: true }])
    expect(next.default_device).toBeNull()
  })

  it('finds a link in both directions unless it is directed', () => {
    const links = POOL.links ?? []
    expect(findLink(links, 'cpu0', 'gpu0')?.at).toBe(0)
    expect(findLink(links, 'cpu0', 'gpu1')?.at).toBe(1)
    expect(findLink(links, 'gpu1', 'cpu0')).toBeUndefined()
  })

  it('names new devices by type with the first free index', () => {
    expect(freeName('GPU', ['gpu0', 'gpu2'])).toBe('gpu1')
    expect(freeName('FPGA', [])).toBe('fpga0')
  })

  it('says of a changed figure that a person entered it, and keeps other sources', () => {
    const device = { name: 'gpu0', sources: { idle_power_w: 'data sheet', active_power_w: 'data sheet' } }
    expect(updateFigure(device, { idle_power_w: 60 })).toEqual({
      idle_power_w: 60,
      sources: { idle_power_w: EDITED_SOURCE, active_power_w: 'data sheet' },
    })
  })

  it('sees a figure that is no number however deep it lies', () => {
    expect(hasBadNumber(POOL)).toBe(false)
    expect(hasBadNumber({ ...POOL, devices: [{ name: 'a', efficiency: { conv: Number.NaN } }] })).toBe(true)
  })

  it('tags devices by type and position', () => {
    expect(marksOf(POOL).map(({ tag, slot }) => `${tag}/${slot}`)).toEqual(['G0/1', 'C0/2', 'G1/3'])
  })
})
