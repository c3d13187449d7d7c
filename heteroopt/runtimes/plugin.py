"""What the author of a runtime plugin writes: discovery, and one synchronous driver a device.

Order, events, deferred frees and the socket are ours (``device``, ``host``), so that every plugin has them alike.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heteroopt.runtimes.description import DeviceDescription
from heteroopt.runtimes.errors import RuntimeFault


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """What a runtime's profiler says of one operator of the optimised program: seconds of one run.

    ``outputs``: names of the tensors that it makes, as far as the runtime tells; ``name``: its own, or of those that
    were joined into it.
    """

    name: str
    op_type: str
    seconds: float
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """A tensor that a program reads or writes: storage that ``allocate`` gave, at ``offset_bytes`` in it."""

    storage: Any
    offset_bytes: int
    dtype: str
    shape: tuple[int, ...]


class Driver(ABC):
    """One open device. All calls are synchronous; one thread a stream calls, so what is shared needs a lock."""

    copies_anywhere: bool = False
    """Whether ``write``, ``read`` and ``copy`` may run on any thread and cannot hang; whoever waits for one makes it.
    """

    @property
    @abstractmethod
    def capacity_bytes(self) -> int:
        """What may be allocated at one time."""

    @abstractmethod
    def allocate(self, size_bytes: int) -> Any:
        """Return storage of that size. Raises ``MemoryError`` where the vendor has none left."""

    @abstractmethod
    def release(self, storage: Any) -> None:
        """Give storage back. It is called when nothing in flight uses it any more."""

    def adopt(self, memory: memoryview) -> Any:
        """Return storage that is this host memory itself, so that nothing is copied.

        Raises ``RuntimeFault`` ``adopt_unsupported`` where programs cannot use the host's memory in place.
        """
        raise RuntimeFault(
            "adopt_unsupported",
            "Programs of this device cannot use the host's memory in place.",
            hint="Allocate a buffer and copy into it.",
        )

    def disown(self, storage: Any) -> None:
        """Forget what ``adopt`` gave; nothing in flight uses it any more."""
        return

    @abstractmethod
    def write(self, storage: Any, offset_bytes: int, source: memoryview) -> None:
        """Copy host bytes into the device."""

    @abstractmethod
    def read(self, storage: Any, offset_bytes: int, target: memoryview) -> None:
        """Copy device bytes to the host."""

    @abstractmethod
    def copy(self, source: Any, source_offset: int, target: Any, target_offset: int, size_bytes: int) -> None:
        """Copy between two storages of this device."""

    @abstractmethod
    def load(self, model: bytes, options: Mapping[str, Any]) -> Any:
        """Compile an ONNX model (an operator or a segment) and return the program.

        Options that every runtime knows: ``precision`` ("model" or the name of a precision), ``optimise`` ("all",
        "none"), ``threads``, ``profile`` (true: ``profile`` will be asked), ``optimised`` (true: ``details`` will be
        asked for the graph that it made). Raises ``RuntimeFault`` ``program_refused`` for what it cannot compile.
        """

    @abstractmethod
    def run(self, program: Any, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument]) -> float | None:
        """Run a program once, to its end. Return the seconds by the device's own timer, or ``None`` if it has none.

        Raises ``RuntimeFault`` ``program_failed``.
        """

    def details(self, program: Any) -> Mapping[str, Any]:
        """Return what is known of a loaded program: ``fallbacks`` (operators run elsewhere), ``optimised`` (bytes)."""
        return {}

    def time_runs(
        self, program: Any, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], count: int
    ) -> list[float]:
        """Run a program ``count`` times in a row and return the seconds of each run.

        By the device's own timer, or of ``run`` by the clock. A driver whose ``run`` has work to do that a prepared
        program has not (binding buffers) does it once here.
        """
        seconds = []
        for _ in range(count):
            begin = time.perf_counter()
            timed = self.run(program, inputs, outputs)
            seconds.append(time.perf_counter() - begin if timed is None else timed)
        return seconds

    def energy_j(self) -> float | None:
        """Return the joules that the device has used since some moment, by a counter of its own; ``None`` without."""
        return None

    def health(self) -> Mapping[str, float | str]:
        """Return how the device is now, as far as it tells: ``temperature_c``, ``power_w``, ``clock_mhz``,
        ``max_clock_mhz``, ``memory_used_bytes``, ``throttle`` (why it is slowed down, by commas, "" if it is not),
        ``health`` (the vendor's word).
        """
        return {}

    def profile(
        self, program: Any, inputs: Mapping[str, Argument], outputs: Mapping[str, Argument], count: int
    ) -> list[OperatorTime]:
        """Run a program that was loaded with the option ``profile`` and return the median of each operator.

        Raises ``RuntimeFault`` ``profile_unsupported`` where the runtime has no profiler.
        """
        raise RuntimeFault(
            "profile_unsupported",
            "This runtime does not tell how long each operator of a program takes.",
            hint="Calibrate the device with the model's operators instead.",
        )

    def close(self) -> None:
        """Give everything back; the device is not used any more."""
        return


class Runtime(ABC):
    """A vendor's runtime. It is made in a process of its own; only there may it import the vendor's library.

    ``settings``: the plugin's part of ``device_config.yaml``.
    """

    name: str

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings

    @abstractmethod
    def versions(self) -> Mapping[str, str]:
        """Return the versions of the vendor's packages, and of the driver where there is one."""

    @abstractmethod
    def probe(self) -> Sequence[DeviceDescription]:
        """List the devices, also those that cannot be used, with the reason. Nothing is taken on trust twice: a
        device that is called healthy has to pass a canary program before it gets work.
        """

    @abstractmethod
    def open(self, index: int) -> Driver:
        """Open a device that ``probe`` listed. Raises ``RuntimeFault`` ``device_unknown``."""
