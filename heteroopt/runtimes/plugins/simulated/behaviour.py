"""What a simulated device is like: its true speed, and the ways in which it misbehaves. All of it is made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from heteroopt.runtimes.errors import RuntimeFault
from heteroopt.runtimes.plugins.simulated.faults import Fault, read_faults


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One device's settings.

    True time of a program = ``overhead_us`` a operator + max(FLOP / ``gflop_per_s``, bytes / ``gb_per_s``). The
    device's timer reports it, times what misbehaves; with ``realtime`` the call lasts as long as well.
    """

    name: str = "sim0"
    memory_size_bytes: int = 1 << 30
    granularity_bytes: int = 1
    """Allocations are rounded up to this."""
    gflop_per_s: float = 100.0
    gb_per_s: float = 20.0
    overhead_us: float = 5.0
    realtime: bool = False
    seed: int = 0
    noise: float = 0.0
    """Relative standard deviation of every measurement."""
    spike_probability: float = 0.0
    spike_factor: float = 10.0
    cold_runs: int = 0
    """So many first runs of a program take ``cold_factor`` times as long."""
    cold_factor: float = 5.0
    throttle_after_s: float = 0.0
    """After so much device time (0 = never) everything takes ``throttle_factor`` times as long."""
    throttle_factor: float = 2.0
    free_delay_s: float = 0.0
    """The vendor's free returns at once and gives the memory back so much later."""
    float16: bool = False
    """Computes in float16, so that large values overflow."""
    wrong_results: bool = False
    """Every result is off by a factor."""
    faults: tuple[Fault, ...] = ()
    """What is done to the results of single operators: ``{"kind", "op_type" or "at"}``; see ``faults.KINDS``."""
    unusable: str = ""
    """A reason: the device is listed with it and cannot compute."""
    hang_on: str = ""
    """Programs with an operator of this type never return."""
    crash_on: str = ""
    """Programs with an operator of this type end the process."""
    fail_on: str = ""
    """Programs with an operator of this type raise."""
    refuse: tuple[str, ...] = ()
    """Operator types that it does not compile."""
    run_delay_s: float = 0.0
    """How long a run lasts on the clock, so that something is in flight."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Behaviour:
        """Read a device's settings. Raises ``RuntimeFault`` ``runtime_load_failed`` for an unknown one."""
        known = {item.name for item in fields(cls)}
        unknown = sorted(set(data) - known)
        if unknown:
            raise RuntimeFault(
                "runtime_load_failed",
                f"Unknown settings of a simulated device: {', '.join(unknown)}.",
                hint=f"Known are {', '.join(sorted(known))}.",
                path="simulated",
                kind="ValueError",
                says=", ".join(unknown),
            )
        values = dict(data)
        values["faults"] = read_faults(values.get("faults", ()))
        if "refuse" in values:
            values["refuse"] = tuple(values["refuse"])
        return cls(**values)
