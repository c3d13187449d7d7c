// The pool that is being edited: every change as a function from one specification to the next.
import type { DeviceSpec, DeviceTemplate, DeviceType, LinkSpec, PoolSpec } from '../../api/types'

/** What a figure's source says after someone changed it on the page; stored with the pool. */
export const EDITED_SOURCE = 'entered in the pool editor'

/** How the source of a figure begins that nobody measured and no data sheet has. */
export const ESTIMATED = 'estimated'

/** Whether a device has such figures. */
export function isEstimated(device: DeviceSpec): boolean {
  return Object.values(device.sources ?? {}).some((source) => source.startsWith(`${ESTIMATED}:`))
}

/** The runtime's device that a pool's device is, such as `onnxruntime:1`. */
export function placeOf(device: DeviceSpec | undefined): string | undefined {
  return device?.sources?.measured_through
}

const STEMS: Record<DeviceType, string> = { GPU: 'gpu', CPU: 'cpu', NPU: 'npu', FPGA: 'fpga' }

/** The first free name of a type: gpu0, gpu1, ... */
export function freeName(type: DeviceType, taken: readonly string[]): string {
  for (let index = 0; ; index += 1) {
    const name = `${STEMS[type]}${index}`
    if (!taken.includes(name)) return name
  }
}

export function updateDevice(spec: PoolSpec, at: number, change: Partial<DeviceSpec>): PoolSpec {
  return { ...spec, devices: spec.devices.map((device, index) => (index === at ? { ...device, ...change } : device)) }
}

/** Memories that several devices share, and those that a slowdown is given for. */
export function sharedMemories(spec: PoolSpec): string[] {
  const named = spec.devices.flatMap((device) => (device.memory_domain ? [device.memory_domain] : []))
  const shared = named.filter((name, at) => named.indexOf(name) !== at)
  return [...new Set([...shared, ...Object.keys(spec.memory_domains ?? {})])]
}

/** What a person says two memory-bound operators of a shared memory are slowed by; null takes the figure off. */
export function setSlowdown(spec: PoolSpec, name: string, slowdown: number | null): PoolSpec {
  const others = Object.entries(spec.memory_domains ?? {}).filter(([other]) => other !== name)
  const own = slowdown === null ? [] : [[name, { slowdown, source: 'given' as const }] as const]
  return { ...spec, memory_domains: Object.fromEntries([...others, ...own]) }
}

/** Changes one figure and says in its source that a person entered it. */
export function updateFigure(device: DeviceSpec, change: Partial<DeviceSpec>): Partial<DeviceSpec> {
  const sources = Object.fromEntries(Object.keys(change).map((field) => [field, EDITED_SOURCE]))
  return { ...change, sources: { ...device.sources, ...sources } }
}

/** Where a device's sources keep which operator map it has, and, under the prefix and an operator's name, each reason. */
export const MAP_SOURCE = 'unsupported_ops'
const REASON_PREFIX = 'unsupported_ops.'

/** What an operator map found the device not to run, with the reasons. */
export function mapReasons(device: DeviceSpec): [name: string, why: string][] {
  return Object.entries(device.sources ?? {}).flatMap(([key, why]): [string, string][] =>
    key.startsWith(REASON_PREFIX) ? [[key.slice(REASON_PREFIX.length), why]] : [],
  )
}

/** Takes off what a map says; what an earlier one took off comes back, what a person took off stays. */
export function applyOperatorMap(device: DeviceSpec, reasons: Readonly<Record<string, string>>, source: string | null): Partial<DeviceSpec> {
  const earlier = new Set(mapReasons(device).map(([name]) => name))
  const stated = (device.unsupported_ops ?? []).filter((name) => !earlier.has(name))
  const found = Object.entries(reasons).filter(([name]) => !stated.includes(name))
  const kept = Object.entries(device.sources ?? {}).filter(([key]) => key !== MAP_SOURCE && !key.startsWith(REASON_PREFIX))
  return {
    unsupported_ops: [...new Set([...stated, ...Object.keys(reasons)])].sort(),
    sources: Object.fromEntries([
      ...kept,
      ...(source === null ? [] : [[MAP_SOURCE, source]]),
      ...found.map(([name, why]) => [`${REASON_PREFIX}${name}`, why]),
    ]) as Record<string, string>,
  }
}

/** Renames a device, and with it the ends of its links and the default device. */
export function renameDevice(spec: PoolSpec, at: number, name: string): PoolSpec {
  const old = spec.devices[at]?.name
  const unique = spec.devices.filter((device) => device.name === old).length === 1
  const renamed = updateDevice(spec, at, { name })
  if (old === undefined || !unique) return renamed
  const follow = (end: string) => (end === old ? name : end)
  return {
    ...renamed,
    default_device: spec.default_device === old ? name : (spec.default_device ?? null),
    links: (spec.links ?? []).map((link) => ({ ...link, source: follow(link.source), target: follow(link.target) })),
  }
}

/** Removes a device and the links that end at it. */
export function removeDevice(spec: PoolSpec, at: number): PoolSpec {
  const name = spec.devices[at]?.name
  return {
    ...spec,
    devices: spec.devices.filter((_, index) => index !== at),
    default_device: spec.default_device === name ? null : (spec.default_device ?? null),
    links: (spec.links ?? []).filter((link) => link.source !== name && link.target !== name),
  }
}

/** Adds one device per template, named by type. */
export function addDevices(spec: PoolSpec, templates: readonly DeviceTemplate[]): PoolSpec {
  return templates.reduce<PoolSpec>((grown, template) => {
    const name = freeName(template.device_type, grown.devices.map((device) => device.name))
    return { ...grown, devices: [...grown.devices, { ...template.spec, name, template: template.name }] }
  }, spec)
}

export function updateLink(spec: PoolSpec, at: number, change: Partial<LinkSpec>): PoolSpec {
  return { ...spec, links: (spec.links ?? []).map((link, index) => (index === at ? { ...link, ...change } : link)) }
}

export function addLink(spec: PoolSpec, link: LinkSpec): PoolSpec {
  return { ...spec, links: [...(spec.links ?? []), link] }
}

export function removeLink(spec: PoolSpec, at: number): PoolSpec {
  return { ...spec, links: (spec.links ?? []).filter((_, index) => index !== at) }
}

/** The link that serves a direction, with its position in the list; undefined where there is none. */
export function findLink(links: readonly LinkSpec[], source: string, target: string): { link: LinkSpec; at: number } | undefined {
  const at = links.findIndex(
    (link) =>
      (link.source === source && link.target === target) ||
      (!link.directed && link.source === target && link.target === source),
  )
  const link = links[at]
  return link ? { link, at } : undefined
}

/** Whether any figure is no number: such a draft cannot be sent. */
export function hasBadNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isNaN(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasBadNumber)
}
