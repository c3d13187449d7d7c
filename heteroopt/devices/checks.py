"""Range checks of device and link figures; a refusal names the field, the range and why the range is what it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from heteroopt.errors import PoolError

MAX_NAME_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Range:
    """Smallest and largest plausible value of a field, its unit, and a sentence that says why."""

    low: float
    high: float
    unit: str
    why: str


RANGES: dict[str, Range] = {
    "peak_gflop_per_s": Range(1e-3, 1e8, "GFLOP/s", "a microcontroller reaches 0.1 and a wafer-scale system 1e8"),
    "memory_size_bytes": Range(1, 1e14, "bytes", "up to the largest servers; 0 is no memory"),
    "memory_bandwidth_gb_per_s": Range(1e-3, 1e8, "GB/s", "from a microcontroller to on-wafer SRAM"),
    "energy_pj_per_flop": Range(
        1e-3, 1e6, "pJ/FLOP", "a 400 W card of 19.5 TFLOP/s spends about 20 pJ per FLOP, the best INT4 units about 0.1"
    ),
    "energy_pj_per_byte": Range(0.0, 1e5, "pJ/byte", "HBM takes about 60, DDR about 200, a network about 10,000"),
    "idle_power_w": Range(0.0, 1e5, "W", "a device, not a data centre"),
    "active_power_w": Range(0.0, 1e5, "W", "a device, not a data centre"),
    "launch_overhead_us": Range(0.0, 1e6, "us", "a launch takes 1 to 100 us, at most a second"),
    "segment_launch_us": Range(0.0, 1e7, "us", "starting a program takes up to milliseconds, at most ten seconds"),
    "efficiency": Range(1e-6, 1.0, "of peak", "nothing runs faster than its peak"),
    "bandwidth_efficiency": Range(1e-6, 1.0, "of peak", "nothing moves bytes faster than the memory does"),
    "memory_cap_bytes": Range(1, 1e14, "bytes", "leave it out for no cap"),
    "workspace_bytes": Range(0, 1e14, "bytes", "memory kept free for the runtime"),
    "cost_per_hour": Range(0.0, 1e6, "per hour", "a price, in any one currency"),
    "bandwidth_gb_per_s": Range(1e-6, 1e6, "GB/s", "from a serial line to an on-package fabric"),
    "latency_us": Range(0.0, 1e7, "us", "at most ten seconds"),
    "slowdown": Range(1.0, 16.0, "times", "of two memory-bound operators beside each other; 1 is none"),
    "memory_fraction": Range(0.01, 1.0, "of the memory", "usable share of a memory, 0.85 by default"),
}

POWER_CONSISTENCY = 50.0
"""Peak x energy per FLOP may differ from the active power by this factor at most (it is 1 by the data sheet)."""


def in_range(field: str, value: object, *, where: str) -> float:
    """Return ``value`` as a float, or raise ``PoolError`` naming the field, its range and the reason for it.

    ``where`` names the device or link for the message. Raises ``PoolError`` (codes ``not_a_number`` and
    ``out_of_range``).
    """
    limit = RANGES[field.partition("[")[0]]
    number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
    if not math.isfinite(number):
        raise PoolError(
            "not_a_number",
            f"{where}: {field} is {value!r}, which is not a finite number.",
            hint=f"Give a figure in {limit.unit}.",
            where=where,
            field=field,
            value=str(value),
            unit=limit.unit,
        )
    if not limit.low <= number <= limit.high:
        raise PoolError(
            "out_of_range",
            f"{where}: {field} = {number:g} is outside {limit.low:g} to {limit.high:g} {limit.unit} ({limit.why}).",
            hint="Check the unit; the usual mistake is a power of ten.",
            where=where,
            field=field,
            value=number,
            low=limit.low,
            high=limit.high,
            unit=limit.unit,
            why=limit.why,
        )
    return number


def whole(field: str, value: object, *, where: str) -> int:
    """Like ``in_range`` for a whole number; a float is accepted when it is integral (TOML's ``40e9``)."""
    number = in_range(field, value, where=where)
    if number != int(number):
        raise PoolError(
            "not_whole",
            f"{where}: {field} = {number:g} must be a whole number.",
            where=where,
            field=field,
            value=number,
        )
    return int(number)


def numbers(field: str, value: object, *, where: str) -> dict[str, float]:
    """A mapping of names to figures of one field, each in range."""
    if not isinstance(value, Mapping):
        raise PoolError(
            "wrong_type",
            f"{where}: {field} must map names to numbers, for example {{ fp32 = 19500 }}.",
            where=where,
            field=field,
        )
    return {str(key): in_range(f"{field}[{key}]", entry, where=where) for key, entry in value.items()}


def identifier(value: object, *, what: str) -> str:
    """A name: 1 to 64 printable characters without surrounding blanks. Raises ``PoolError`` (``bad_name``)."""
    if isinstance(value, str) and value == value.strip() and value.isprintable() and 0 < len(value) <= MAX_NAME_LENGTH:
        return value
    raise PoolError(
        "bad_name",
        f"{what} {value!r:.80} is not usable: 1 to {MAX_NAME_LENGTH} printable characters without surrounding blanks.",
        what=what,
        name=str(value)[:80],
    )
