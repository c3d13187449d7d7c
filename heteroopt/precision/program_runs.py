"""Runs a program once for its results, and a few times more for its time, on a device of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.precision.own_device import OwnDevice
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.handle import DeviceHandle, HostBuffer

LOAD_SECONDS = 300.0
RUN_SECONDS = 120.0
TIMED_RUNS = 3

Outputs = Mapping[str, tuple[str, Sequence[int]]]
"""Type and shape of a program's results, by name."""


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """Results by name; ``seconds``: the shortest of the timed runs by the device's own timer, ``None`` if untimed."""

    results: dict[str, NDArray[Any]]
    seconds: float | None
    details: Mapping[str, Any]


def run_program(
    device: OwnDevice,
    model: bytes,
    inputs: Mapping[str, NDArray[Any]],
    outputs: Outputs,
    options: Mapping[str, Any] | None = None,
    timed_runs: int = TIMED_RUNS,
) -> ProgramRun:
    """Load a model, run it and forget it again.

    Raises ``RuntimeFault``: why it was refused or failed; a device that hung has been ended and is started again by
    the next call.
    """
    handle = device.handle()
    try:
        program = device.load(model, options, LOAD_SECONDS)
        with LoadedProgram(handle, program, inputs, outputs) as loaded:
            results = loaded.run(inputs)
            seconds = min(loaded.time(timed_runs)) if timed_runs else None
            return ProgramRun(results, seconds, handle.details(program))
    except RuntimeFault as error:
        if error.code == "runtime_timeout":
            device.kill(error)
        raise


class LoadedProgram:
    """A program with device buffers for its inputs and results, for as many runs as one likes."""

    def __init__(
        self, handle: DeviceHandle, program: int, inputs: Mapping[str, NDArray[Any]], outputs: Outputs
    ) -> None:
        self._handle = handle
        self._program = program
        self._outputs = {name: (dtype, tuple(shape)) for name, (dtype, shape) in outputs.items()}
        self._sizes = {name: array.nbytes for name, array in inputs.items()}
        self._sizes |= {
            name: int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
            for name, (dtype, shape) in self._outputs.items()
        }
        self._types = {name: (str(array.dtype), array.shape) for name, array in inputs.items()}
        self._buffers: dict[str, int] = {}
        self._host: HostBuffer | None = None
        self._stack = ExitStack()

    def __enter__(self) -> LoadedProgram:
        with ExitStack() as stack:
            self._host = self._handle.host_buffer(max(1, *self._sizes.values()))
            stack.callback(self._host.close)
            for name, size in self._sizes.items():
                self._buffers[name] = self._handle.alloc(max(1, size))
                stack.callback(self._free, self._buffers[name])
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        if self._handle.process.alive:
            self._handle.unload(self._program)

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Copy arrays in, run, copy the results out."""
        handle, host = self._handle, self._host
        assert host is not None
        try:
            for name, array in inputs.items():
                host.array(str(array.dtype), array.shape)[...] = array
                handle.synchronize(handle.copy_h2d(self._buffers[name], host, array.nbytes), RUN_SECONDS)
            handle.synchronize(handle.launch(self._program, *self._places()), RUN_SECONDS)
            results: dict[str, NDArray[Any]] = {}
            for name, (dtype, shape) in self._outputs.items():
                handle.synchronize(handle.copy_d2h(self._buffers[name], host, self._sizes[name]), RUN_SECONDS)
                results[name] = host.array(dtype, shape).copy()
            return results
        except RuntimeFault:
            if handle.process.alive:
                handle.reset_stream()
            raise

    def time(self, count: int) -> list[float]:
        """Return the seconds of ``count`` more runs over the inputs that are there."""
        return self._handle.time_runs(self._program, *self._places(), count, RUN_SECONDS)

    def _places(self) -> tuple[list[Any], list[Any]]:
        reads = [(name, self._buffers[name], 0, dtype, shape) for name, (dtype, shape) in self._types.items()]
        writes = [(name, self._buffers[name], 0, dtype, shape) for name, (dtype, shape) in self._outputs.items()]
        return reads, writes

    def _free(self, buffer: int) -> None:
        if self._handle.process.alive:
            self._handle.free(buffer)
