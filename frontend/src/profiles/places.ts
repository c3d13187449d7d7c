// The devices of hosts that could run a model now.
import type { Host } from '../api/hardware'

export interface Place {
  id: string
  title: string
}

export function healthyPlaces(hosts: readonly Host[]): Place[] {
  return hosts.flatMap((host) =>
    host.runtimes.flatMap((runtime) =>
      runtime.devices
        .filter((device) => device.state === 'healthy')
        .map((device) => ({ id: device.id, title: `${host.name} · ${runtime.name} · ${device.name}` })),
    ),
  )
}
