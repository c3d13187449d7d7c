/** Devices of a search by position in the pool or by name; -1 is the implicit host, which is no device of the pool. */
import type { DeviceRef, PlanDetail, PlanMemory } from '../types'

export function tagAt(devices: readonly DeviceRef[], index: number, host: string): string {
  return devices[index]?.tag ?? host
}

/** Tags of the devices that share a memory ("gpu0, dla0"), or the host's name. */
export function memoryTags(devices: readonly DeviceRef[], memory: PlanMemory, host: string): string {
  const tags = memory.device
    .split(',')
    .map((name) => devices.find((d) => d.name === name.trim())?.tag)
    .filter((tag) => tag !== undefined)
  return tags.length ? tags.join(' ') : host
}

/** Position of the first device of a memory; -1 for the host. */
export function memoryDevice(devices: readonly DeviceRef[], memory: PlanMemory): number {
  const first = memory.device.split(',')[0]?.trim()
  return devices.findIndex((d) => d.name === first)
}

/** The memory with the largest peak. */
export function fullestMemory(detail: PlanDetail): PlanMemory | undefined {
  return detail.memory.reduce<PlanMemory | undefined>(
    (most, memory) => (!most || memory.peak_bytes > most.peak_bytes ? memory : most),
    undefined,
  )
}
