"""The runtime of this plugin. Only its own process may import this module's library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pyopencl as cl

from heteroopt.runtimes.description import Capability, DeviceDescription, DeviceState, Reason
from heteroopt.runtimes.errors import RuntimeFault, absent
from heteroopt.runtimes.host_memory import host_memory_bytes
from heteroopt.runtimes.plugin import Runtime
from heteroopt.runtimes.plugins.opencl.driver import OpenClDriver

NO_PLATFORM = -1001
"""CL_PLATFORM_NOT_FOUND_KHR: the loader found no vendor's library."""


class OpenClRuntime(Runtime):
    """Settings: ``platforms``: parts of the names of those to offer (all)."""

    name = "opencl"

    def versions(self) -> Mapping[str, str]:
        platforms = {platform.name.strip(): platform.version for platform in self._platforms()}
        return {"pyopencl": cl.VERSION_TEXT, "onnx": onnx.__version__, "numpy": np.__version__, **platforms}

    def probe(self) -> Sequence[DeviceDescription]:
        if not self._platforms():
            named = self.settings.get("platforms")
            raise absent(self.name, [f"OpenCL platform{f' of {named}' if named else ''} (Debian: pocl-opencl-icd)"])
        return [self._describe(index, device) for index, device in enumerate(self._devices())]

    def open(self, index: int) -> OpenClDriver:
        devices = self._devices()
        if not 0 <= index < len(devices):
            raise RuntimeFault("device_unknown", f"OpenCL has no device {index} here.", device=index)
        return OpenClDriver(devices[index], _memory_bytes(devices[index]))

    def _platforms(self) -> list[Any]:
        wanted = [str(part).lower() for part in self.settings.get("platforms", [])]
        try:
            found = cl.get_platforms()
        except cl.LogicError as error:
            if error.code != NO_PLATFORM:
                raise
            return []
        return [
            platform for platform in found if not wanted or any(part in platform.name.lower() for part in wanted)
        ]  # fmt: skip

    def _devices(self) -> list[Any]:
        return [device for platform in self._platforms() for device in platform.get_devices()]

    def _describe(self, index: int, device: Any) -> DeviceDescription:
        reason = _why_not(device)
        extensions = device.extensions.split()
        shared = bool(device.host_unified_memory)
        return DeviceDescription(
            index=index,
            name=device.name.strip(),
            device_type=_kind(device.type),
            memory_size_bytes=_memory_bytes(device),
            precisions=(
                "fp32",
                *(["fp16"] if "cl_khr_fp16" in extensions else []),
                *(["fp64"] if "cl_khr_fp64" in extensions else []),
                "int32",
                "int8",
            ),
            capabilities=_capabilities(device, shared),
            position={"platform": device.platform.name.strip(), "compute_units": device.max_compute_units},
            versions={"device": device.version, "driver": device.driver_version},
            state=DeviceState.UNUSABLE if reason else DeviceState.HEALTHY,
            reason=reason,
        )


def _kind(bits: int) -> str:
    for name in ("GPU", "CPU"):
        if bits & getattr(cl.device_type, name):
            return name
    return "FPGA" if bits & cl.device_type.ACCELERATOR else "NPU"


def _capabilities(device: Any, shared: bool) -> tuple[Capability, ...]:
    """A CPU's programs are threads, which the system interrupts; a driver's free waits for what is queued."""
    bits = [Capability.ASYNC_FREE]
    if device.type & cl.device_type.CPU:
        bits.append(Capability.PREEMPT)
    return (*bits, Capability.HOST_MEMORY) if shared else tuple(bits)


def _memory_bytes(device: Any) -> int:
    size = int(device.global_mem_size)
    return min(size, host_memory_bytes()) if device.host_unified_memory else size


def _why_not(device: Any) -> Reason | None:
    missing = [
        text
        for text, there in (
            ("it is not available", device.available),
            ("it has no compiler", device.compiler_available),
        )
        if not there
    ]
    if not missing:
        return None
    says = f"{device.name.strip()}: {' and '.join(missing)}"
    return Reason.of(RuntimeFault("device_unusable", says, device=device.name.strip(), says=says))
