"""The alpha-beta model of a copy: a latency, then bytes at the link's effective bandwidth (Hockney 1994)."""

from __future__ import annotations


def transfer_time_ps(latency_ps: int, ps_per_byte: float, size_bytes: int) -> int:
    """Whole picoseconds of one hop; small messages reach only ``n / (n + latency x bandwidth)`` of the peak."""
    return latency_ps + int(size_bytes * ps_per_byte + 0.5)


def transfer_energy_pj(pj_per_byte: float, size_bytes: int) -> float:
    """Picojoules above idle of one hop."""
    return size_bytes * pj_per_byte


def effective_bandwidth_fraction(latency_ps: int, ps_per_byte: float, size_bytes: int) -> float:
    """Share of the link's bandwidth that a message of this size reaches, 0 to 1."""
    total = transfer_time_ps(latency_ps, ps_per_byte, size_bytes)
    return size_bytes * ps_per_byte / total if total else 1.0
