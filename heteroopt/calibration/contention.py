"""How much two devices that share a memory slow each other: the same operators alone, then at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from heteroopt.calibration.cases import case_of
from heteroopt.calibration.handle_device import HandleDevice, HandleProgram
from heteroopt.calibration.transfers import rounded
from heteroopt.costs.database import MeasuredContention
from heteroopt.devices.checks import RANGES
from heteroopt.devices.domains import MemoryDomain
from heteroopt.devices.pool import DevicePool
from heteroopt.graph.sketch import Sketch
from heteroopt.runtimes.protocol import Command
from heteroopt.runtimes.streams import KEPT_TIMES, Event

WINDOW_S = 0.5
"""How long the operators of both devices run beside each other."""

LEAST_SLOWDOWN = 0.9
"""Nothing runs faster beside another: below it the run alone was disturbed."""

ATTEMPTS = 3

LIMITS = ("memory", "compute")
WAIT_SECONDS = 120.0


@dataclass(frozen=True)
class Contention:
    """Two devices, and by what limits an operator ("memory", "compute") its time beside the other over its time alone.

    ``slowdown["memory"][i]``: of a memory-bound operator on device i while the other runs one too; 1 is none.
    ``domain_slowdown``: what a memory domain of the two is given, the mean of both under memory-bound load.
    """

    devices: tuple[str, str]
    slowdown: Mapping[str, tuple[float, float]]

    @property
    def domain_slowdown(self) -> float:
        """The larger of 1 and the mean slowdown of memory-bound operators."""
        return max(1.0, float(np.mean(self.slowdown["memory"])))

    def of(self, device: int) -> MeasuredContention:
        """What the calibration of one of the two (0 or 1) keeps of it."""
        return MeasuredContention(
            beside=self.devices[1 - device], **{limit: pair[device] for limit, pair in self.slowdown.items()}
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return {
            "devices": list(self.devices),
            "slowdown": {name: list(pair) for name, pair in self.slowdown.items()},
            "domain_slowdown": self.domain_slowdown,
        }


def measured_domains(pool: DevicePool, found_by: Mapping[str, MeasuredContention | None]) -> dict[str, MemoryDomain]:
    """Slowdowns of the pool's memory domains from what the calibrations of its devices, by name, measured beside each
    other: the mean of what each domain's devices were slowed by, within 1 to 16. Figures below ``LEAST_SLOWDOWN``
    are accidents and not taken. Domains without any are left out.
    """
    found: dict[str, list[float]] = {}
    for device in pool.devices:
        measured = found_by.get(device.name)
        if device.memory_domain is not None and measured is not None and measured.memory >= LEAST_SLOWDOWN:
            found.setdefault(device.memory_domain, []).append(measured.memory)
    limit = RANGES["slowdown"]
    return {
        name: MemoryDomain(rounded(min(limit.high, max(limit.low, float(np.mean(values))))), "measured")
        for name, values in found.items()
    }


def probes(elements: int = 4_000_000, width: int = 384) -> dict[str, dict[str, Any]]:
    """A case for each limit: a sum of arrays that no cache holds, and a product of small matrices."""
    add = Sketch([("Add", "a b", "y", {})], {"a": (1, elements), "b": (1, elements)})
    product = Sketch([("MatMul", "x w", "y", {})], {"x": (1, width, width)}, {"w": (width, width)})
    return {"memory": case_of(add.graph("memory")), "compute": case_of(product.graph("compute"))}


def measure_contention(
    first: HandleDevice,
    second: HandleDevice,
    *,
    window_s: float = WINDOW_S,
    cases: Mapping[str, dict[str, Any]] | None = None,
) -> Contention:
    """Run a probe of each kind on both devices, apart and together. Raises ``RuntimeFault``.

    Where a device is faster beside the other one, something else ran while it was alone: both are measured again.
    """
    found: dict[str, tuple[float, float]] = {}
    for limit, case in (cases or probes()).items():
        programs = [device.open(case) for device in (first, second)]
        try:
            for _ in range(ATTEMPTS):
                alone = [_alone(program, window_s) for program in programs]
                together = _together([first, second], programs, alone, window_s)
                found[limit] = (together[0] / alone[0], together[1] / alone[1])
                if min(found[limit]) >= LEAST_SLOWDOWN:
                    break
        finally:
            for program in programs:
                program.close()
    return Contention((first.description.name, second.description.name), found)


def _alone(program: HandleProgram, window_s: float) -> float:
    one = float(np.median(program.run(5)[2:]))
    return float(np.median(program.run(_runs(one, window_s))))


def _runs(seconds: float, window_s: float) -> int:
    return int(min(KEPT_TIMES // 2, max(5, window_s / max(seconds, 1e-7))))


def _together(
    devices: list[HandleDevice], programs: list[HandleProgram], alone: list[float], window_s: float
) -> list[float]:
    """Median seconds of a run on each device while the other is busy too: the first half of what was queued."""
    counts = [_runs(seconds, window_s) for seconds in alone]
    events: list[list[Event]] = []
    for device, program, count in zip(devices, programs, counts, strict=True):
        launch = (Command.LAUNCH, [device.handle.number, program.number, program.reads, program.writes, 0])
        answers = device.handle.process.batch([launch] * count)
        events.append([Event(*answer) for answer in answers])
    found = []
    for device, queued in zip(devices, events, strict=True):
        device.handle.synchronize(queued[-1], WAIT_SECONDS)
        half = queued[len(queued) // 10 : max(1, len(queued) // 2) + 1]
        times = [device.handle.elapsed_s(event) for event in half]
        found.append(float(np.median([seconds for seconds in times if seconds is not None])))
    return found
