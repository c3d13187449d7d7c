// What the sample card says about devices.
import { describe, expect, it } from 'vitest'

import { listDevices } from './sample'

describe('listDevices', () => {
  it('counts equal devices and joins the last with "and"', () => {
    const devices = ['A100 40G', 'A100 40G', 'Xeon 8480', 'Ascend 910'].map((display_name) => ({ display_name }))
    expect(listDevices(devices, ', ', ' and ')).toBe('2 × A100 40G, Xeon 8480 and Ascend 910')
    expect(listDevices(devices.slice(0, 1), ', ', ' and ')).toBe('A100 40G')
  })
})
