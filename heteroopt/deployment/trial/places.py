"""What runs the devices of this machine's own pool, as options of ``ort-segments``."""

from __future__ import annotations

from pathlib import Path

from heteroopt.calibration.local import local_devices
from heteroopt.devices.pool import DevicePool
from heteroopt.devices.topology.machine import found_on

CPU_PROVIDER = "CPUExecutionProvider"


def options_here(pool: DevicePool, host_folder: Path | None = None) -> dict[str, str]:
    """``device.NAME`` and ``cores.NAME`` of each device of ``pool`` that is known to be a device of a runtime here.

    Other devices have no options. The runtimes are asked only where the pool names one of them (seconds).
    """
    places = {device.name: found_on(device) for device in pool.devices}
    if not any(places.values()):
        return {}
    found = {f"{runtime}:{device.index}": (runtime, device) for runtime, device in local_devices(host_folder)}
    options: dict[str, str] = {}
    for name, place in places.items():
        if place not in found:
            continue
        runtime, device = found[place]
        if runtime == "openvino":
            options[f"device.{name}"] = f"openvino:{device.device_type}"
        elif runtime == "onnxruntime":
            options[f"device.{name}"] = f"onnxruntime:{device.position.get('provider', CPU_PROVIDER)}"
        if cores := device.position.get("cores", ()):
            options[f"cores.{name}"] = ",".join(str(int(core)) for core in cores)
    return options
