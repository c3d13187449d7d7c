"""The CUDA driver as this plugin uses it: ``cuda.bindings.driver`` with errors raised, and one context a device.

The official bindings rather than ctypes: they carry the versions of the driver's symbols and the constants, and their
major version need not be that of the toolkit that ONNX Runtime was built with.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from heteroopt.runtimes.errors import RuntimeFault


def refused(call: str, name: str) -> RuntimeFault:
    """Return the error for a call that the driver refused; ``params["kind"]`` is the name of its ``CUresult``."""
    return RuntimeFault(
        "program_failed",
        f"The CUDA driver refused {call}: {name}.",
        hint="The runtime's own message says what it could not do.",
        kind=name,
        says=call,
    )


class DriverApi:
    """Calls by name without their status; a status that is not success raises ``RuntimeFault``."""

    def __init__(self) -> None:
        from cuda.bindings import driver

        self._driver: Any = driver
        self.attributes: Any = driver.CUdevice_attribute
        self.call("cuInit", 0)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the driver and return what it returns after its status: nothing, one value or a tuple."""
        status, *values = getattr(self._driver, name)(*arguments)
        if status != self._driver.CUresult.CUDA_SUCCESS:
            raise refused(name, getattr(status, "name", str(status)))
        return values[0] if len(values) == 1 else tuple(values) if values else None

    def attribute(self, name: str, device: Any) -> int:
        """Return a device's attribute, 0 where this driver does not know it."""
        try:
            found = self.call("cuDeviceGetAttribute", getattr(self.attributes, name), device)
        except (RuntimeFault, AttributeError):
            return 0
        return int(found)

    def text(self, name: str, length: int, device: Any) -> str:
        """Return a device's name or address."""
        found: bytes = self.call(name, length, device)
        return found.partition(b"\0")[0].decode(errors="replace")

    def version(self) -> str:
        """Return the newest version of CUDA that the driver has, as 12.8."""
        number = int(self.call("cuDriverGetVersion"))
        return f"{number // 1000}.{number % 1000 // 10}"


class CudaContext:
    """A device's primary context, which ONNX Runtime uses too, current in every thread that asks for its stream."""

    def __init__(self, api: DriverApi, index: int) -> None:
        self.api = api
        self.device = api.call("cuDeviceGet", index)
        self._context = api.call("cuDevicePrimaryCtxRetain", self.device)
        self._here = threading.local()
        self._lock = threading.Lock()
        self._made: list[tuple[str, Any]] = []
        self._open = True
        self.enter()
        self.compute = self._make("cuStreamCreate", "cuStreamDestroy", 1)  # CU_STREAM_NON_BLOCKING
        self.begin = self._make("cuEventCreate", "cuEventDestroy", 0)
        self.end = self._make("cuEventCreate", "cuEventDestroy", 0)

    def enter(self) -> None:
        """Make the context current in this thread; ONNX Runtime may have changed it since."""
        self.api.call("cuCtxSetCurrent", self._context)

    def stream(self) -> Any:
        """Return this thread's own stream for copies."""
        self.enter()
        if not hasattr(self._here, "stream"):
            self._here.stream = self._make("cuStreamCreate", "cuStreamDestroy", 1)
        return self._here.stream

    def close(self) -> None:
        """Destroy streams and events and give the context back, once."""
        with self._lock:
            made, self._made, was_open, self._open = self._made, [], self._open, False
        if was_open:
            self.enter()
            for destroy, handle in reversed(made):
                self.api.call(destroy, handle)
            self.api.call("cuDevicePrimaryCtxRelease", self.device)

    def _make(self, create: str, destroy: str, flags: int) -> Any:
        handle = self.api.call(create, flags)
        with self._lock:
            self._made.append((destroy, handle))
        return handle


def precisions(major: int, minor: int) -> tuple[str, ...]:
    """Precisions that a compute capability has without emulation (CUDA C++ Programming Guide, arithmetic throughput
    and tensor cores by compute capability).
    """
    since: Mapping[str, tuple[int, int]] = {
        "fp64": (1, 3), "fp32": (1, 0), "tf32": (8, 0), "bf16": (8, 0), "fp16": (5, 3), "fp8": (8, 9), "int8": (6, 1),
    }  # fmt: skip
    return tuple(name for name, first in since.items() if (major, minor) >= first)
