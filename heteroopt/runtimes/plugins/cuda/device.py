"""One open GPU: memory and copies through the CUDA driver, programs through ONNX Runtime on the same pointers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from heteroopt.runtimes.device_session import DevicePointer, DeviceProgram, bind, load_program, require_types
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.options import LoadOptions
from heteroopt.runtimes.plugin import Argument, Driver
from heteroopt.runtimes.plugins.cuda.driver_api import CudaContext, DriverApi
from heteroopt.runtimes.plugins.cuda.nvml import NvmlDevice

PROVIDER = "CUDAExecutionProvider"
OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"
MS_PER_S = 1000.0


class CudaDriver(Driver):
    """Copies run on a stream of the calling thread; programs, one at a time, on one compute stream, whose events are
    the timer. Every call returns when the device has done it.
    """

    def __init__(
        self, api: DriverApi, ort: Any, index: int, nvml: NvmlDevice | None, provider_options: Mapping[str, str]
    ) -> None:
        self._ort = ort
        self._index = index
        self._nvml = nvml
        self._provider_options = provider_options
        self._context = CudaContext(api, index)
        self._api = api
        self._compute_lock = threading.Lock()
        _, total = api.call("cuMemGetInfo")
        self._capacity_bytes = int(total)

    @property
    def capacity_bytes(self) -> int:
        return self._capacity_bytes

    def allocate(self, size_bytes: int) -> DevicePointer:
        self._context.enter()
        try:
            return DevicePointer(int(self._api.call("cuMemAlloc", size_bytes)), size_bytes)
        except RuntimeFault as error:
            if error.params.get("kind") == OUT_OF_MEMORY:
                raise MemoryError from error
            raise

    def release(self, storage: DevicePointer) -> None:
        self._context.enter()
        self._api.call("cuMemFree", storage.address)

    def write(self, storage: DevicePointer, offset_bytes: int, source: memoryview) -> None:
        host = np.frombuffer(source, np.uint8)
        self._copy("cuMemcpyHtoDAsync", storage.address + offset_bytes, host.ctypes.data, source.nbytes)

    def read(self, storage: DevicePointer, offset_bytes: int, target: memoryview) -> None:
        host = np.frombuffer(target, np.uint8)
        self._copy("cuMemcpyDtoHAsync", host.ctypes.data, storage.address + offset_bytes, target.nbytes)

    def copy(
        self, source: DevicePointer, source_offset: int, target: DevicePointer, target_offset: int, size_bytes: int
    ) -> None:
        there = target.address + target_offset
        self._copy("cuMemcpyDtoDAsync", there, source.address + source_offset, size_bytes)

    def load(self, model: bytes, options: Mapping[str, Any]) -> DeviceProgram:
        asked = LoadOptions.read(options)
        if asked.precision not in ("model", "default"):
            require_types(model, asked.precision)
        self._context.enter()
        settings = {
            "device_id": str(self._index),
            "user_compute_stream": str(int(self._context.compute)),
            # left alone, the provider rounds factors of FP32 products to 10 bits of mantissa
            "use_tf32": "1" if asked.precision == "default" else "0",
            **self._provider_options,
        }
        return load_program(self._ort, model, asked, PROVIDER, settings)

    def run(self, program: DeviceProgram, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> float:
        return self.time_runs(program, inputs, outputs, 1)[0]

    def time_runs(
        self, program: DeviceProgram, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], count: int
    ) -> list[float]:
        self._context.enter()
        binding = bind(program, inputs, outputs, "cuda", self._index)
        compute, begin, end = self._context.compute, self._context.begin, self._context.end
        seconds = []
        with self._compute_lock:
            for _ in range(count):
                self._api.call("cuEventRecord", begin, compute)
                program.session.run_with_iobinding(binding)
                self._api.call("cuEventRecord", end, compute)
                self._api.call("cuEventSynchronize", end)
                seconds.append(float(self._api.call("cuEventElapsedTime", begin, end)) / MS_PER_S)
        return seconds

    def details(self, program: DeviceProgram) -> Mapping[str, Any]:
        return {"fallbacks": list(program.fallbacks)}

    def energy_j(self) -> float | None:
        return None if self._nvml is None else self._nvml.energy_j()

    def health(self) -> Mapping[str, float | str]:
        return {} if self._nvml is None else self._nvml.health()

    def close(self) -> None:
        self._context.close()

    def _copy(self, call: str, target: int, source: int, size_bytes: int) -> None:
        if size_bytes:
            stream = self._context.stream()
            self._api.call(call, target, source, size_bytes, stream)
            self._api.call("cuStreamSynchronize", stream)
