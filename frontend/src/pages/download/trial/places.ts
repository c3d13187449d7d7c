// What stands for devices of a pool in a trial run, and devices of hosts on which segments of an uploaded model can run: CPUs of ONNX Runtime and OpenVINO.
import type { Host } from '../../../api/hardware'

export function trialPlaces(hosts: readonly Host[]): { id: string; title: string }[] {
  return hosts.flatMap((host) =>
    host.runtimes
      .filter((runtime) => runtime.name === 'onnxruntime' || runtime.name === 'openvino')
      .flatMap((runtime) =>
        runtime.devices
          .filter((device) => device.state === 'healthy' && device.device_type === 'CPU')
          .map((device) => ({ id: device.id, title: `${host.name} · ${runtime.name} · ${device.name}` })),
      ),
  )
}

/** `gpu1, cpu0: onnxruntime CPU`: devices of the pool that one device of the host stands for, together. */
export function placeTexts(places: readonly { name: string; runtime: string; device: string }[], comma: string): string[] {
  const found = new Map<string, string[]>()
  for (const { name, runtime, device } of places) {
    const stands = `${runtime} ${device}`
    found.set(stands, [...(found.get(stands) ?? []), name])
  }
  return [...found].map(([stands, names]) => `${names.join(comma)}: ${stands}`)
}
