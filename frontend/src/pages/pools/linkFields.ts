// The figures and classes of a link; a figure left out is the default of the class.
import type { LinkSpec } from '../../api/types'
import { UNITS } from '../../format/units'

export const LINK_CLASSES = ['NVLink', 'xGMI', 'HCCS', 'UPI', 'PCIe', 'PCIe3', 'PCIe5', 'InfiniBand', 'Ethernet', 'on-chip'] as const

export const LINK_FIGURES = [
  { field: 'bandwidth_gb_per_s', unit: UNITS.gbPerS },
  { field: 'latency_us', unit: UNITS.microseconds },
  { field: 'energy_pj_per_byte', unit: UNITS.pjPerByte },
] as const

export function withoutFigure(link: LinkSpec, field: string): LinkSpec {
  return Object.fromEntries(Object.entries(link).filter(([key]) => key !== field)) as LinkSpec
}

/** A link of another class has that class's figures, so the old ones go. */
export function withoutFigures(link: LinkSpec): LinkSpec {
  return LINK_FIGURES.reduce((kept, { field }) => withoutFigure(kept, field), link)
}

/** Links by the channel that they share: a switch, or the host's connection. */
export function sharedChannels(links: readonly LinkSpec[]): [channel: string, links: LinkSpec[]][] {
  const found = new Map<string, LinkSpec[]>()
  for (const link of links) if (link.channel) found.set(link.channel, [...(found.get(link.channel) ?? []), link])
  return [...found.entries()]
}
