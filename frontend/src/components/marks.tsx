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

/** `most`: of more devices the first are shown, and how many there are beside them. */
export function DeviceTags({ devices, most = Infinity }: { devices: DeviceRef[]; most?: number }) {
  const shown = devices.length > most ? devices.slice(0, most - 1) : devices
  return (
    <span className="row" style={{ gap: 3, flexWrap: 'wrap' }}>
      {shown.map((device) => (
        <DeviceTag key={device.name} device={device} />
      ))}
      {shown.length < devices.length && <span className="small s3">+{devices.length - shown.length}</span>}
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
