"""What the device handle costs, and how soon a killed plugin is back.

Run: python -m benchmarks.runtime_handle [--runtime simulated] [--json FILE]

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


def pipe_s() -> list[float]:
    """Seconds to send 16 MiB through a pipe to another process and hear that it is there."""
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_answer, args=(theirs,), daemon=True)
    child.start()
    data = bytes(BLOCK_BYTES)

    def send() -> None:
        ours.send_bytes(data)
        ours.recv_bytes()

    taken = seconds(send, 21)
    ours.close()
    child.terminate()
    return taken


def _answer(connection: Connection) -> None:
    while True:
        connection.recv_bytes()
        connection.send_bytes(b"there")


def foreign(process: int | Path, own: str) -> list[str]:
    """Shared objects of other vendors than ``own`` that a process (or the maps of one, as a file) maps."""
    maps = Path(f"/proc/{process}/maps") if isinstance(process, int) else process
    marks = [mark for vendor, listed in VENDORS.items() if vendor != own for mark in listed]
    return [str(path) for path in mapped_objects(maps) if any(mark in str(path) for mark in marks)]


def measure(runtime: str) -> dict[str, Any]:
    """All figures of one runtime."""
    plugin = next(plugin for plugin in find_plugins() if plugin.name == runtime)
    if plugin.configuration is not None:
        plugin = replace(plugin, configuration=replace(plugin.configuration, enabled=True, probe_timeout_s=60.0))
    manager = RuntimeManager([plugin])
    manager.start()
    manager.wait(120.0)
    process = manager.process(runtime)
    device = DeviceHandle(process, manager.status(runtime).devices()[0].index)
    socket_s = seconds(lambda: process.call(Command.PING), 5000)
    batch_s = seconds(lambda: process.batch([(Command.DONE, (device.number, 0, 0))] * BATCH), 50)
    host, buffer = device.host_buffer(BLOCK_BYTES), device.alloc(BLOCK_BYTES)
    host.array()[:] = 1
    shared_s = seconds(lambda: device.synchronize(device.copy_h2d(buffer, host, BLOCK_BYTES)), 21)
    mapped = foreign(process.pid, runtime)
    begin = time.perf_counter()
    os.kill(process.pid, signal.SIGKILL)
    while manager.status(runtime).starts < 2 or manager.status(runtime).state != "healthy":
        time.sleep(0.005)
    back_s = time.perf_counter() - begin
    manager.stop()
    shared_ms, pipe_ms = statistics.median(shared_s) * 1e3, statistics.median(pipe_s()) * 1e3
    return {
        "runtime": runtime,
        "in_process_us": in_process_us(),
        "socket_p50_us": statistics.median(socket_s) * 1e6,
        "socket_p95_us": statistics.quantiles(socket_s, n=20)[18] * 1e6,
        "batched_us_per_command": statistics.median(batch_s) / BATCH * 1e6,
        "h2d_16_mib_ms": shared_ms,
        "pipe_16_mib_ms": pipe_ms,
        "shared_memory_gain": pipe_ms / shared_ms,
        "foreign_libraries": mapped,
        "killed_until_healthy_s": back_s,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runtime", default="simulated")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    figures = measure(arguments.runtime)
    for name, value in figures.items():
        print(f"{name:24} {value:.3f}" if isinstance(value, float) else f"{name:24} {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
