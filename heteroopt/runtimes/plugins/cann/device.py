"""One open NPU: memory and copies through pyACL, programs through ONNX Runtime's CANN provider on the same pointers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from heteroopt.devices.topology.ascend import NpuCard
from heteroopt.runtimes.device_session import DevicePointer, DeviceProgram, bind, load_program, require_types
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.options import LoadOptions
from heteroopt.runtimes.plugin import Argument, Driver
from heteroopt.runtimes.plugins.cann.acl_api import (
    ASYNC_ALIGNMENT_BYTES,
    DEVICE_TO_DEVICE,
    DEVICE_TO_HOST,
    HOST_TO_DEVICE,
    MALLOC_HUGE_FIRST,
    OUT_OF_MEMORY,
    AclApi,
    AclDevice,
)

PROVIDER = "CANNExecutionProvider"
PRECISION_MODES: Mapping[str, str] = {"fp16": "force_fp16", "fp32": "force_fp32"}
"""By the option ``precision``; "model" keeps the model's types. Left alone ("default"), the provider uses FP16."""


class CannDriver(Driver):
    """Every call returns when the device has done it. The provider has no stream of ours, so there is no device timer:
    ``run`` returns ``None`` and the clock counts.
    """

    def __init__(
        self,
        api: AclApi,
        ort: Any,
        index: int,
        card: Callable[[], NpuCard | None],
        provider_options: Mapping[str, str],
    ) -> None:
        self._api = api
        self._ort = ort
        self._index = index
        self._card = card
        self._provider_options = provider_options
        self._device = AclDevice(api, index)
        self._capacity_bytes = self._device.memory_bytes()

    @property
    def capacity_bytes(self) -> int:
        return self._capacity_bytes

    def allocate(self, size_bytes: int) -> DevicePointer:
        self._device.enter()
        try:
            return DevicePointer(int(self._api.call("rt.malloc", size_bytes, MALLOC_HUGE_FIRST)), size_bytes)
        except RuntimeFault as error:
            if error.params.get("kind") in OUT_OF_MEMORY:
                raise MemoryError from error
            raise

    def release(self, storage: DevicePointer) -> None:
        self._device.enter()
        self._api.call("rt.free", storage.address)

    def write(self, storage: DevicePointer, offset_bytes: int, source: memoryview) -> None:
        host = np.frombuffer(source, np.uint8)
        target = storage.address + offset_bytes
        self._copy(target, storage.size_bytes - offset_bytes, host.ctypes.data, source.nbytes, HOST_TO_DEVICE)

    def read(self, storage: DevicePointer, offset_bytes: int, target: memoryview) -> None:
        host = np.frombuffer(target, np.uint8)
        self._copy(host.ctypes.data, target.nbytes, storage.address + offset_bytes, target.nbytes, DEVICE_TO_HOST)

    def copy(
        self, source: DevicePointer, source_offset: int, target: DevicePointer, target_offset: int, size_bytes: int
    ) -> None:
        there, room = target.address + target_offset, target.size_bytes - target_offset
        here = source.address + source_offset
        if (there | here) % ASYNC_ALIGNMENT_BYTES:
            self._copy(there, room, here, size_bytes, DEVICE_TO_DEVICE)
        elif size_bytes:
            stream = self._device.stream()
            self._api.call("rt.memcpy_async", there, room, here, size_bytes, DEVICE_TO_DEVICE, stream)
            self._api.call("rt.synchronize_stream", stream)

    def load(self, model: bytes, options: Mapping[str, Any]) -> DeviceProgram:
        asked = LoadOptions.read(options)
        if asked.precision == "bf16":
            require_types(model, asked.precision)  # the provider has no mode that converts to it
        self._device.enter()
        settings = {"device_id": str(self._index)}
        if asked.precision != "default":
            settings["precision_mode"] = PRECISION_MODES.get(asked.precision, "must_keep_origin_dtype")
        settings |= self._provider_options
        return load_program(self._ort, model, asked, PROVIDER, settings)

    def run(self, program: DeviceProgram, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> None:
        self._device.enter()
        program.session.run_with_iobinding(bind(program, inputs, outputs, "cann", self._index))
        self._api.call("rt.synchronize_device")

    def details(self, program: DeviceProgram) -> Mapping[str, Any]:
        return {"fallbacks": list(program.fallbacks)}

    def health(self) -> Mapping[str, float | str]:
        card = self._card()
        if card is None:
            return {}
        found: dict[str, float | str] = {"health": card.health}
        for key, value in (("power_w", card.power_w), ("temperature_c", card.temperature_c)):
            if value is not None:
                found[key] = value
        return found

    def close(self) -> None:
        self._device.close()

    def _copy(self, target: int, room_bytes: int, source: int, size_bytes: int, kind: int) -> None:
        """Copy at once: from or to pageable memory, or unaligned, which the asynchronous call does not take."""
        if size_bytes:
            self._device.enter()
            self._api.call("rt.memcpy", target, room_bytes, source, size_bytes, kind)
