"""The device handle: the interface of a device for the rest of the engine, over a plugin's process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.runtimes.device import MemoryFigures, TensorPlace
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.plugin import OperatorTime
from heteroopt.runtimes.process import COMMAND_SECONDS, RuntimeProcess
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.regions import Region
from heteroopt.runtimes.streams import Event

LOAD_SECONDS = 300.0
RUN_SECONDS = 60.0


class HostBuffer:
    """Host memory that the plugin's process sees too; copies between it and a device move the bytes once."""

    def __init__(self, process: RuntimeProcess, number: int, region: Region) -> None:
        self._process = process
        self._region = region
        self.number = number
        self.size_bytes = region.size_bytes

    def array(self, dtype: str = "uint8", shape: Sequence[int] | None = None, offset_bytes: int = 0) -> NDArray[Any]:
        """Return an array over the buffer itself (no copy)."""
        kind = np.dtype(dtype)
        size = self.size_bytes - offset_bytes if shape is None else int(np.prod(shape)) * kind.itemsize
        data = np.frombuffer(self._region.view, kind, size // kind.itemsize, offset_bytes)
        return data if shape is None else data.reshape(shape)

    def close(self) -> None:
        """Give it back in both processes (here when the last array over it is gone)."""
        if self._process.alive:
            self._process.call(Command.UNSHARE, self.number)
        self._region.close()


class DeviceHandle:
    """An open device of a plugin's process. Semantics are those of ``device.Device``.

    Commands that queue work return its event at once. Raises ``RuntimeFault``.
    """

    def __init__(self, process: RuntimeProcess, index: int) -> None:
        self.process = process
        self.index = index
        self.number = int(process.call(Command.OPEN, index, timeout_s=LOAD_SECONDS))

    def host_buffer(self, size_bytes: int) -> HostBuffer:
        """Return host memory for copies."""
        return HostBuffer(self.process, *self.process.share(size_bytes))

    def alloc(self, size_bytes: int) -> int:
        """Return a new buffer's number."""
        return int(self.process.call(Command.ALLOC, self.number, size_bytes))

    def adopt(self, host: HostBuffer, size_bytes: int, *, offset: int = 0) -> int:
        """Return the number of a buffer that is part of ``host`` itself: nothing is copied.

        Do not touch what a command in flight reads or writes. Raises ``adopt_unsupported``.
        """
        return int(self.process.call(Command.ADOPT, self.number, host.number, offset, size_bytes))

    def free(self, buffer: int) -> None:
        """Forget a buffer; released when nothing in flight uses it."""
        self.process.call(Command.FREE, self.number, buffer)

    def copy_h2d(
        self, buffer: int, source: HostBuffer, size_bytes: int, *, offset: int = 0, source_offset: int = 0,
        stream: int = 0,
    ) -> Event:  # fmt: skip
        """Queue a copy from host memory into a buffer; ``source`` must stay as it is until the event."""
        arguments = (self.number, buffer, offset, source.number, source_offset, size_bytes, stream)
        return Event(*self.process.call(Command.COPY_H2D, *arguments))

    def copy_d2h(
        self, buffer: int, target: HostBuffer, size_bytes: int, *, offset: int = 0, target_offset: int = 0,
        stream: int = 0,
    ) -> Event:  # fmt: skip
        """Queue a copy from a buffer to host memory; the bytes are there after the event."""
        arguments = (self.number, buffer, offset, target.number, target_offset, size_bytes, stream)
        return Event(*self.process.call(Command.COPY_D2H, *arguments))

    def copy_d2d(
        self, source: int, target: int, size_bytes: int, *, source_offset: int = 0, target_offset: int = 0,
        stream: int = 0,
    ) -> Event:  # fmt: skip
        """Queue a copy between two buffers of this device."""
        arguments = (self.number, source, source_offset, target, target_offset, size_bytes, stream)
        return Event(*self.process.call(Command.COPY_D2D, *arguments))

    def load(self, model: bytes, options: Mapping[str, Any] | None = None, timeout_s: float = LOAD_SECONDS) -> int:
        """Compile an ONNX model and return the program's number."""
        buffer = self.host_buffer(max(1, len(model)))
        try:
            buffer.array()[: len(model)] = np.frombuffer(model, np.uint8)
            arguments = (self.number, buffer.number, 0, len(model), dict(options or {}))
            return int(self.process.call(Command.LOAD, *arguments, timeout_s=timeout_s))
        finally:
            buffer.close()

    def details(self, program: int) -> Mapping[str, Any]:
        """Return what the runtime tells of a loaded program."""
        found: Mapping[str, Any] = self.process.call(Command.DETAILS, self.number, program)
        return found

    def unload(self, program: int) -> None:
        """Forget a program."""
        self.process.call(Command.UNLOAD, self.number, program)

    def launch(
        self, program: int, inputs: Sequence[TensorPlace], outputs: Sequence[TensorPlace], stream: int = 0
    ) -> Event:
        """Queue one run over buffers."""
        return Event(*self.process.call(Command.LAUNCH, self.number, program, inputs, outputs, stream))

    def time_runs(
        self, program: int, inputs: Sequence[TensorPlace], outputs: Sequence[TensorPlace], count: int,
        timeout_s: float = RUN_SECONDS,
    ) -> list[float]:  # fmt: skip
        """Run a program ``count`` times in a row and return the seconds of each, by the device's timer; blocks.

        Raises ``RuntimeFault``; after ``runtime_timeout`` the process has been ended.
        """
        found = self._blocking(Command.TIME_RUNS, program, inputs, outputs, count, timeout_s)
        return [float(seconds) for seconds in found]

    def profile(
        self, program: int, inputs: Sequence[TensorPlace], outputs: Sequence[TensorPlace], count: int,
        timeout_s: float = RUN_SECONDS,
    ) -> list[OperatorTime]:  # fmt: skip
        """Return what the runtime's profiler says of a program loaded with the option ``profile``; as ``time_runs``.

        Raises ``RuntimeFault`` ``profile_unsupported`` too.
        """
        found = self._blocking(Command.PROFILE, program, inputs, outputs, count, timeout_s)
        return [
            OperatorTime(str(row["name"]), str(row["op_type"]), float(row["seconds"]), tuple(row["outputs"]))
            for row in found
        ]

    def energy_j(self) -> float | None:
        """Return the joules that the device's own counter shows, ``None`` without one."""
        joules = self.process.call(Command.ENERGY, self.number)
        return None if joules is None else float(joules)

    def health(self) -> dict[str, float | str]:
        """Return how the device is now, as far as it tells: ``temperature_c``, ``power_w``, ``throttle``, ..."""
        return dict(self.process.call(Command.HEALTH, self.number))

    def _blocking(self, command: Command, *arguments: Any) -> Any:
        timeout_s = arguments[-1]
        try:
            return self.process.call(command, self.number, *arguments, timeout_s=timeout_s + COMMAND_SECONDS)
        except RuntimeFault as error:
            if error.code == "runtime_timeout":
                self.process.kill(error)  # what still runs there would be in every later measurement
            raise

    def create_stream(self) -> int:
        """Return a new stream's number."""
        return int(self.process.call(Command.CREATE_STREAM, self.number))

    def record(self, stream: int = 0) -> Event:
        """Return the event of everything submitted to the stream so far."""
        return Event(*self.process.call(Command.RECORD, self.number, stream))

    def wait_event(self, stream: int, event: Event) -> Event:
        """Let a stream's later commands wait for another stream's event."""
        return Event(*self.process.call(Command.WAIT_EVENT, self.number, stream, event))

    def done(self, event: Event) -> bool:
        """Whether the event has happened; never blocks."""
        return bool(self.process.call(Command.DONE, self.number, *event))

    def synchronize(self, event: Event, timeout_s: float = COMMAND_SECONDS) -> None:
        """Wait for an event. Raises what its command failed with; ``runtime_timeout`` ends nothing, so wait again or
        end the process.
        """
        self.process.call(Command.SYNCHRONIZE, self.number, event, timeout_s, timeout_s=timeout_s + COMMAND_SECONDS)

    def elapsed_s(self, event: Event) -> float | None:
        """Return how long the event's command took on the device; ``None`` unless it has ended well, lately."""
        seconds = self.process.call(Command.ELAPSED, self.number, *event)
        return None if seconds is None else float(seconds)

    def reset_stream(self, stream: int = 0) -> Event:
        """Let a stream run commands again after one failed."""
        return Event(*self.process.call(Command.RESET_STREAM, self.number, stream))

    def memory(self) -> MemoryFigures:
        """Return the device's figures."""
        return MemoryFigures(**self.process.call(Command.MEMORY, self.number))

    def close(self) -> None:
        """Wait for all streams, then give everything back."""
        self.process.call(Command.CLOSE, self.number, timeout_s=LOAD_SECONDS)

    def run_once(
        self, program: int, inputs: Mapping[str, NDArray[Any]], outputs: Mapping[str, tuple[str, Sequence[int]]],
        timeout_s: float = 60.0,
    ) -> dict[str, NDArray[Any]]:  # fmt: skip
        """Copy arrays in, run a program, copy its outputs out (``name: (dtype, shape)``): for tests and comparisons."""
        sizes = {name: array.nbytes for name, array in inputs.items()}
        sizes |= {name: int(np.prod(shape)) * np.dtype(dtype).itemsize for name, (dtype, shape) in outputs.items()}
        buffers: dict[str, int] = {}
        host = self.host_buffer(max(1, *sizes.values()))
        try:
            for name, size in sizes.items():
                buffers[name] = self.alloc(max(1, size))
            for name, array in inputs.items():
                host.array(str(array.dtype), array.shape)[...] = array
                self.synchronize(self.copy_h2d(buffers[name], host, array.nbytes), timeout_s)
            reads = [(name, buffers[name], 0, str(array.dtype), array.shape) for name, array in inputs.items()]
            writes = [(name, buffers[name], 0, dtype, tuple(shape)) for name, (dtype, shape) in outputs.items()]
            self.synchronize(self.launch(program, reads, writes), timeout_s)
            results = {}
            for name, (dtype, shape) in outputs.items():
                self.synchronize(self.copy_d2h(buffers[name], host, sizes[name]), timeout_s)
                results[name] = host.array(dtype, shape).copy()
            return results
        except RuntimeFault:
            if self.process.alive:
                self.reset_stream()
            raise
        finally:
            if self.process.alive:
                for buffer in buffers.values():
                    self.free(buffer)
            host.close()
