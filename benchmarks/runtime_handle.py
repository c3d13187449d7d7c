"""What the device handle costs, and how soon a killed plugin is back.

Run: python -m benchmarks.runtime_handle [--runtime onnxruntime] [--no-spare] [--json FILE]

In-process figures call ``Device`` itself; the others go through the plugin's process. Medians unless it says otherwise.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from heteroopt.runtimes.device import Device
from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.fingerprint import mapped_objects
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.runtimes.host_memory import HostMemoryDriver
from heteroopt.runtimes.manager import RuntimeManager
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.registry import find_plugins
from heteroopt.runtimes.streams import Event

BLOCK_BYTES = 16 << 20
BATCH = 1000
VENDORS = {
    "onnxruntime": ("site-packages/onnxruntime", "libonnxruntime"),
    "openvino": ("site-packages/openvino", "libopenvino"),
    "opencl": ("site-packages/pyopencl", "libpocl", "libclang", "/libLLVM"),
    "cuda": ("libcuda", "libcudart", "libnvidia", "site-packages/nvidia"),
    "cann": ("libascendcl", "Ascend"),
    "torch": ("site-packages/torch/",),
}
"""What paths of shared objects that a vendor brings have in them. A libhwloc belongs to whom its folder
says; the system's libOpenCL is the loader, no vendor's."""


class _Nothing(HostMemoryDriver):
    """A driver without programs, to measure the handle alone."""

    def load(self, model: bytes, options: Any) -> Any:
        return None

    def run(self, program: Any, inputs: Any, outputs: Any) -> None:
        return


def seconds(action: Callable[[], object], repeats: int) -> list[float]:
    """Seconds of each of ``repeats`` calls."""
    taken = []
    for _ in range(repeats):
        begin = time.perf_counter()
        action()
        taken.append(time.perf_counter() - begin)
    return taken


def in_process_us() -> float:
    """Microseconds of one ``done`` of the handle without a process between."""
    device, event = Device(_Nothing(1 << 20)), Event(0, 0)
    count = 200_000
    begin = time.perf_counter()
    for _ in range(count):
        device.done(event)
    return (time.perf_counter() - begin) / count * 1e6


class Pipe:
    """Another process that is sent 16 MiB through a pipe and says when they are there."""

    def __init__(self) -> None:
        self._ours, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        self._child = context.Process(target=_answer, args=(theirs,), daemon=True)
        self._child.start()
        self._data = bytes(BLOCK_BYTES)

    def send(self) -> None:
        """Send them once."""
        self._ours.send_bytes(self._data)
        self._ours.recv_bytes()

    def close(self) -> None:
        """End the process."""
        self._ours.close()
        self._child.terminate()


def transfers_s(device: DeviceHandle) -> dict[str, list[float]]:
    """Seconds of 16 MiB each way, taken in turns so that what else the machine does falls on all alike."""
    pipe = Pipe()
    host, buffer = device.host_buffer(BLOCK_BYTES), device.alloc(BLOCK_BYTES)
    host.array()[:] = 1
    ways: dict[str, Callable[[], object]] = {
        "pipe": pipe.send,
        "copy": lambda: device.synchronize(device.copy_h2d(buffer, host, BLOCK_BYTES)),
    }
    try:
        device.free(device.adopt(host, BLOCK_BYTES))
        ways["adopt"] = lambda: device.free(device.adopt(host, BLOCK_BYTES))
    except RuntimeFault:  # its memory is not the host's
        pass
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(41):
        for way, action in ways.items():
            taken[way] += seconds(action, 1)
    pipe.close()
    return taken


def killed_in_mid_run_s(manager: RuntimeManager, runtime: str, device: DeviceHandle) -> float:
    """Seconds from kill -9, while copies are under way, until the plugin is healthy again."""
    host, buffer = device.host_buffer(BLOCK_BYTES), device.alloc(BLOCK_BYTES)
    for _ in range(200):
        event = device.copy_h2d(buffer, host, BLOCK_BYTES)
    assert not device.done(event)
    starts = manager.status(runtime).starts
    begin = time.perf_counter()
    os.kill(device.process.pid, signal.SIGKILL)
    while manager.status(runtime).starts == starts or manager.status(runtime).state != "healthy":
        time.sleep(0.005)
    return time.perf_counter() - begin


def _answer(connection: Connection) -> None:
    while True:
        connection.recv_bytes()
        connection.send_bytes(b"there")


def foreign(process: int | Path, own: str) -> list[str]:
    """Shared objects of other vendors than ``own`` that a process (or the maps of one, as a file) maps."""
    maps = Path(f"/proc/{process}/maps") if isinstance(process, int) else process
    marks = [mark for vendor, listed in VENDORS.items() if vendor != own for mark in listed]
    return [str(path) for path in mapped_objects(maps) if any(mark in str(path) for mark in marks)]


def measure(runtime: str, spare: bool = True) -> dict[str, Any]:
    """All figures of one runtime."""
    plugin = next(plugin for plugin in find_plugins() if plugin.name == runtime)
    if plugin.configuration is not None:
        plugin = replace(
            plugin, configuration=replace(plugin.configuration, enabled=True, probe_timeout_s=60.0, spare=spare)
        )
    manager = RuntimeManager([plugin])
    manager.start()
    manager.wait(120.0)
    process = manager.process(runtime)
    device = DeviceHandle(process, manager.status(runtime).devices()[0].index)
    socket_s = seconds(lambda: process.call(Command.PING), 5000)
    batch_s = seconds(lambda: process.batch([(Command.DONE, (device.number, 0, 0))] * BATCH), 50)
    taken = transfers_s(device)
    transfers = {way: statistics.median(values) for way, values in taken.items()}
    mapped = foreign(process.pid, runtime)
    back_s = killed_in_mid_run_s(manager, runtime, device)
    manager.stop()
    return {
        "runtime": runtime,
        "load": os.getloadavg()[0],
        "in_process_us": in_process_us(),
        "socket_p50_us": statistics.median(socket_s) * 1e6,
        "socket_p95_us": statistics.quantiles(socket_s, n=20)[18] * 1e6,
        "batched_us_per_command": statistics.median(batch_s) / BATCH * 1e6,
        "h2d_16_mib_ms": transfers["copy"] * 1e3,
        "pipe_16_mib_ms": transfers["pipe"] * 1e3,
        "shared_memory_gain": transfers["pipe"] / transfers["copy"],
        "fastest_of_41_gain": min(taken["pipe"]) / min(taken["copy"]),
        "adopt_16_mib_us": transfers["adopt"] * 1e6 if "adopt" in transfers else None,
        "foreign_libraries": mapped,
        "killed_until_healthy_s": back_s,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runtime", default="simulated")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-spare", action="store_true", help="without a second process that waits to take over")
    arguments = parser.parse_args()
    figures = measure(arguments.runtime, not arguments.no_spare)
    for name, value in figures.items():
        print(f"{name:24} {value:.3f}" if isinstance(value, float) else f"{name:24} {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
