"""A device of the runtimes' layer as the measuring session wants it: cases become loaded programs over its buffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from heteroopt.calibration.portable.case_model import case_model, fill
from heteroopt.calibration.portable.counters import Rapl
from heteroopt.calibration.portable.standalone import processor
from heteroopt.runtimes.description import DeviceDescription
from heteroopt.runtimes.device import TensorPlace
from heteroopt.runtimes.fingerprint import Fingerprint
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.protocol import Command

LOAD_SECONDS = 60.0
RUN_SECONDS = 120.0


class HandleDevice:
    """``handle`` is open on the device that ``description`` describes; ``options`` go to every load.

    ``fingerprint``: the one that the runtime's process gave when it was probed, by which a calibration is compared
    later; some runtimes map more objects once they have run something.
    """

    def __init__(
        self,
        handle: DeviceHandle,
        runtime: str,
        description: DeviceDescription,
        options: Mapping[str, Any] | None = None,
        host: str = "",
        fingerprint: str = "",
    ) -> None:
        self.handle = handle
        self.runtime = runtime
        self.description = description
        self.options = dict(options or {})
        self.host = host
        self._package = Rapl() if description.device_type == "CPU" else None
        now = take_fingerprint(handle)
        self.versions = dict(now.versions)
        self.fingerprint = fingerprint or now.hash

    def describe(self) -> dict[str, Any]:
        """Name, versions, options and fingerprint, as a bundle keeps them."""
        return {
            "runtime": self.runtime,
            "index": self.description.index,
            "name": self.description.name,
            "host": self.host,
            "versions": self.versions,
            "processor": processor(),
            "threads": int(self.options.get("threads", 0)),
            "fingerprint": self.fingerprint,
        }

    def joules(self) -> float | None:
        """The plugin's counter; of a processor without one that of its package, where the host lets it be read."""
        counted = self.handle.energy_j()
        return self._package.joules() if counted is None and self._package is not None else counted

    def open(self, case: Mapping[str, Any]) -> HandleProgram:
        """Load a case and put its inputs on the device. Raises ``RuntimeFault``."""
        return HandleProgram(self.handle, case_model(dict(case)), case["inputs"], case["outputs"], self.options)


class HandleProgram:
    """A loaded model with buffers for what it reads and writes."""

    def __init__(
        self,
        handle: DeviceHandle,
        model: bytes,
        inputs: list[dict[str, Any]],
        outputs: list[dict[str, Any]],
        options: Mapping[str, Any],
    ) -> None:
        self._handle = handle
        self._buffers: list[int] = []
        self._program = handle.load(model, options, LOAD_SECONDS)
        try:
            self.reads = [self._place(tensor, filled=True) for tensor in inputs]
            self.writes = [self._place(tensor, filled=False) for tensor in outputs]
        except BaseException:
            self.close()
            raise

    @property
    def number(self) -> int:
        """The program's number on its device."""
        return self._program

    def run(self, count: int) -> list[float]:
        """Seconds of each run, by the device's timer."""
        return self._handle.time_runs(self._program, self.reads, self.writes, count, RUN_SECONDS)

    def close(self) -> None:
        """Give program and buffers back."""
        if not self._handle.process.alive:
            return
        self._handle.unload(self._program)
        while self._buffers:
            self._handle.free(self._buffers.pop())

    def _place(self, tensor: Mapping[str, Any], *, filled: bool) -> TensorPlace:
        kind = np.dtype(tensor["dtype"])
        size = int(np.prod(tensor["shape"], dtype=np.int64)) * kind.itemsize
        buffer = self._handle.alloc(max(1, size))
        self._buffers.append(buffer)
        if filled and size:
            host = self._handle.host_buffer(size)
            try:
                host.array(str(kind), tensor["shape"])[...] = fill(dict(tensor))
                self._handle.synchronize(self._handle.copy_h2d(buffer, host, size), RUN_SECONDS)
            finally:
                host.close()
        return tensor["name"], buffer, 0, str(kind), list(tensor["shape"])


def take_fingerprint(handle: DeviceHandle) -> Fingerprint:
    """What the runtime's process consists of now."""
    return Fingerprint.from_dict(handle.process.call(Command.FINGERPRINT, timeout_s=LOAD_SECONDS))
