"""The powers of ten between the units used in names; nowhere else in the engine does one appear."""

from __future__ import annotations

PS_PER_NS = 10**3
PS_PER_US = 10**6
PS_PER_MS = 10**9
PS_PER_S = 10**12

PJ_PER_UJ = 10**6
PJ_PER_MJ = 10**9
PJ_PER_J = 10**12

BYTES_PER_KB = 10**3
BYTES_PER_MB = 10**6
BYTES_PER_GB = 10**9

FLOP_PER_GFLOP = 10**9
FLOP_PER_TFLOP = 10**12
FLOP_PER_MAC = 2

PS_PER_BYTE_AT_1_GB_PER_S = PS_PER_S / BYTES_PER_GB
"""Picoseconds that one byte takes over a channel of 1 GB/s."""


def ps_to_ms(time_ps: float) -> float:
    """Picoseconds to milliseconds."""
    return time_ps / PS_PER_MS


def pj_to_j(energy_pj: float) -> float:
    """Picojoules to joules."""
    return energy_pj / PJ_PER_J


def us_to_ps(time_us: float) -> int:
    """Microseconds to whole picoseconds, rounded to nearest."""
    return round(time_us * PS_PER_US)


def ps_per_byte(bandwidth_gb_per_s: float) -> float:
    """Picoseconds that one byte takes at the given bandwidth."""
    return PS_PER_BYTE_AT_1_GB_PER_S / bandwidth_gb_per_s
