// The small marks that mean the same everywhere: device tag, plan discs A and B, state chip.
import type { CSSProperties, ReactNode } from 'react'

import type { DeviceRef } from '../api/types'
import { DEVICE_SLOTS } from '../theme/tokens'

/** The device's colour and that of ink on it, as `--c` and `--ci`. */
export function deviceStyle(slot: number): CSSProperties {
  const index = ((Math.max(1, slot) - 1) % DEVICE_SLOTS) + 1
  return { '--c': `var(--dev-${index})`, '--ci': `var(--dev-${index}-ink)` } as CSSProperties
}

/** A device's tag in its colour; `slot` counts from 1. */
export function DeviceTag({ device }: { device: Pick<DeviceRef, 'slot' | 'tag' | 'name'> }) {
  return (
    <span className={device.slot > DEVICE_SLOTS ? 'tag hatch' : 'tag'} style={deviceStyle(device.slot)} title={device.name}>
      {device.tag}
    </span>
  )
}

export function DeviceTags({ devices }: { devices: DeviceRef[] }) {
  return (
    <span className="row" style={{ gap: 3, flexWrap: 'wrap' }}>
      {devices.map((device) => (
        <DeviceTag key={device.name} device={device} />
      ))}
    </span>
  )
}

export function PlanMark({ plan }: { plan: 'A' | 'B' }) {
  return <span className={plan === 'A' ? 'ab a' : 'ab'}>{plan}</span>
}

export type Tone = 'draft' | 'info' | 'ok' | 'warn' | 'bad'

export function Chip({ tone = 'draft', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={tone === 'draft' ? 'chip' : `chip ${tone}`}>{children}</span>
}
