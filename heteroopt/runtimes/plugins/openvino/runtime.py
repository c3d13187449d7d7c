"""The runtime of this plugin. Only its own process may import this module's library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import openvino as ov

from heteroopt.runtimes.description import Capability, DeviceDescription
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.host_memory import host_memory_bytes
from heteroopt.runtimes.plugin import Runtime
from heteroopt.runtimes.plugins.openvino.driver import OpenVinoDriver, property_of
from heteroopt.runtimes.plugins.openvino.isolation import keep_to_intels

NO_DEVICE = ("AUTO", "HETERO", "MULTI", "BATCH")
"""Names that spread a model over the real devices: where something runs is what is planned here."""

PRECISIONS: Mapping[str, str] = {
    "FP32": "fp32", "BF16": "bf16", "FP16": "fp16", "INT16": "int16", "INT8": "int8", "INT4": "int4", "BIN": "int1",
}  # fmt: skip
"""Those of ``OPTIMIZATION_CAPABILITIES`` that name a precision; the rest (WINOGRAD, EXPORT_IMPORT) do not."""

MEMORY_PROPERTIES = ("GPU_DEVICE_TOTAL_MEM_SIZE", "NPU_DEVICE_TOTAL_MEM_SIZE")
DRIVER_PROPERTIES = ("GPU_DRIVER_VERSION", "NPU_DRIVER_VERSION", "NPU_COMPILER_VERSION")


class OpenVinoRuntime(Runtime):
    """Settings: ``devices``: those to offer by OpenVINO's name (all); ``cache_folder``: where compiled models are kept
    (nowhere).
    """

    name = "openvino"

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        keep_to_intels(self)
        self._core = ov.Core()
        folder = str(settings.get("cache_folder", ""))
        if folder:
            self._core.set_property({"CACHE_DIR": folder})

    def versions(self) -> Mapping[str, str]:
        return {"openvino": ov.__version__, "numpy": np.__version__}

    def probe(self) -> Sequence[DeviceDescription]:
        return [self._describe(index, device) for index, device in enumerate(self._devices())]

    def open(self, index: int) -> OpenVinoDriver:
        devices = self._devices()
        if not 0 <= index < len(devices):
            raise RuntimeFault("device_unknown", f"OpenVINO has no device {index} here.", device=index)
        return OpenVinoDriver(self._core, devices[index], self._memory_bytes(devices[index]))

    def _devices(self) -> list[str]:
        wanted = self.settings.get("devices") or None
        listed = [str(name) for name in self._core.available_devices]
        return [
            name
            for name in listed
            if name.partition(".")[0] not in NO_DEVICE and (wanted is None or name in wanted)
        ]  # fmt: skip

    def _describe(self, index: int, device: str) -> DeviceDescription:
        bits = [str(bit) for bit in property_of(self._core, device, "OPTIMIZATION_CAPABILITIES") or ()]
        kind = device.partition(".")[0]
        versions = {name: str(version) for name, version in self._core.get_versions(device).items()}
        for name in DRIVER_PROPERTIES:
            found = property_of(self._core, device, name)
            if found is not None:
                versions[name.lower()] = str(found)
        return DeviceDescription(
            index=index,
            name=f"{device} {property_of(self._core, device, 'FULL_DEVICE_NAME') or ''}".strip(),
            device_type=kind if kind in ("CPU", "GPU", "NPU") else "NPU",
            memory_size_bytes=self._memory_bytes(device),
            precisions=tuple(PRECISIONS[bit] for bit in bits if bit in PRECISIONS),
            capabilities=_capabilities(kind),
            position=self._position(device, bits),
            versions=versions,
        )

    def _position(self, device: str, bits: Sequence[str]) -> dict[str, Any]:
        place: dict[str, Any] = {"openvino_device": device, "library_capabilities": list(bits)}
        pci = property_of(self._core, device, "DEVICE_PCI_INFO")
        if pci is not None:
            place["pci_address"] = f"{pci.domain:04x}:{pci.bus:02x}:{pci.device:02x}.{pci.function:x}"
        architecture = property_of(self._core, device, "DEVICE_ARCHITECTURE")
        return place if architecture is None else place | {"architecture": str(architecture)}

    def _memory_bytes(self, device: str) -> int:
        """The device's own memory where the library tells it, otherwise the host's."""
        for name in MEMORY_PROPERTIES:
            found = property_of(self._core, device, name)
            if found:
                return int(found)
        return host_memory_bytes()


def _capabilities(kind: str) -> tuple[Capability, ...]:
    """Buffers are the host's on every device, as OpenVINO moves them itself; only a CPU's threads share it safely."""
    if kind == "CPU":
        return Capability.PREEMPT, Capability.HOST_MEMORY
    return (Capability.HOST_MEMORY, Capability.GRAPH_ONLY) if kind == "NPU" else (Capability.HOST_MEMORY,)
