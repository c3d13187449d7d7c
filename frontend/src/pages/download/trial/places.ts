// Devices of hosts on which segments of an uploaded model can run: CPUs of ONNX Runtime and OpenVINO.
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
