"""One device of OpenCL: its buffers, a queue a thread, and programs made of our kernels."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pyopencl as cl
from numpy.typing import NDArray

from heteroopt.runtimes.errors import failed, refused
from heteroopt.runtimes.host_memory import dtype_named
from heteroopt.runtimes.options import LoadOptions
from heteroopt.runtimes.plugin import Argument, Driver
from heteroopt.runtimes.plugins.opencl.lowering import check_operators
from heteroopt.runtimes.plugins.opencl.program import Program

BUILD = ("-cl-std=CL1.2",)
EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
PLAIN = "-cl-opt-disable"


class OpenClDriver(Driver):
    """Every thread has an in-order queue of its own, so streams run beside each other where the device can."""

    def __init__(self, device: Any, capacity_bytes: int) -> None:
        self._device = device
        self._capacity_bytes = capacity_bytes
        self._context = cl.Context([device])
        self._of_thread = threading.local()

    @property
    def capacity_bytes(self) -> int:
        return self._capacity_bytes

    def allocate(self, size_bytes: int) -> Any:
        try:
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size_bytes)
        except (cl.MemoryError, cl.LogicError) as error:  # LogicError: larger than one buffer may be
            raise MemoryError(str(error)) from error

    def release(self, storage: Any) -> None:
        storage.release()

    def write(self, storage: Any, offset_bytes: int, source: memoryview) -> None:
        data = np.frombuffer(source, np.uint8)
        if data.size:
            cl.enqueue_copy(self._queue, storage, data, dst_offset=offset_bytes, is_blocking=True)

    def read(self, storage: Any, offset_bytes: int, target: memoryview) -> None:
        data = np.frombuffer(target, np.uint8)
        if data.size:
            cl.enqueue_copy(self._queue, data, storage, src_offset=offset_bytes, is_blocking=True)

    def copy(self, source: Any, source_offset: int, target: Any, target_offset: int, size_bytes: int) -> None:
        if not size_bytes:
            return
        cl.enqueue_copy(
            self._queue, target, source, byte_count=size_bytes, src_offset=source_offset, dst_offset=target_offset
        ).wait()

    def load(self, model: bytes, options: Mapping[str, Any]) -> Program:
        asked = LoadOptions.read(options)
        if asked.threads:
            raise refused("OpenCL leaves the number of threads to the device")
        try:
            parsed = onnx.load_from_string(model)
        except Exception as error:  # protobuf's own errors
            raise refused(f"it cannot be read as an ONNX model: {error}", kind=type(error).__name__) from error
        check_operators(parsed)
        try:
            return Program(self._context, self._queue, parsed, asked, self._build_options(asked))
        except cl.Error as error:
            raise refused(str(error), kind=type(error).__name__) from error

    def run(self, program: Program, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> float | None:
        for name, argument in (*inputs.items(), *outputs.items()):
            kind = dtype_named(argument.dtype)
            size = int(np.prod(argument.shape, dtype=np.int64)) * kind.itemsize
            if argument.offset_bytes % kind.itemsize:
                raise failed(f"{name!r} begins at byte {argument.offset_bytes}, inside an element of {argument.dtype}")
            if argument.offset_bytes + size > argument.storage.size:
                raise failed(f"{name!r} needs {size} bytes, its buffer has fewer")
        return program.run(self._queue, inputs, outputs, self._fetch)

    def details(self, program: Program) -> Mapping[str, Any]:
        """``kernels``, ``distinct_kernels``, ``workspace_bytes``, ``source`` (OpenCL C); ``fallbacks``: operators whose
        result decides shapes, computed by the host.
        """
        return program.details()

    @property
    def _queue(self) -> Any:
        if not hasattr(self._of_thread, "queue"):
            profiling = cl.command_queue_properties.PROFILING_ENABLE
            self._of_thread.queue = cl.CommandQueue(self._context, properties=profiling)
        return self._of_thread.queue

    def _fetch(self, argument: Argument) -> NDArray[Any]:
        array = np.empty(argument.shape, dtype_named(argument.dtype))
        if array.size:
            cl.enqueue_copy(
                self._queue, array, argument.storage, src_offset=argument.offset_bytes, is_blocking=True
            )  # fmt: skip
        return array

    def _build_options(self, asked: LoadOptions) -> list[str]:
        exact = self._device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
        return [*BUILD, *([EXACT_DIVISION] if exact else []), *([PLAIN] if asked.optimise == "none" else [])]
