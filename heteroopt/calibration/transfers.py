"""Copies between a device and its host: timed by size, fitted as latency and bandwidth, with what the fit misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from heteroopt.calibration.portable.timing import Rule, summarise
from heteroopt.devices.links import Link
from heteroopt.devices.pool import DevicePool
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.units import BYTES_PER_GB

SIZES_BYTES: tuple[int, ...] = tuple(1 << power for power in range(12, 27, 2))
"""4 KiB to 64 MiB."""

DIRECTIONS = ("h2d", "d2h")
LEAST_LATENCY_S = 1e-9
FLOOR_BYTES_PER_S = 1e6
COPY_SECONDS = 60.0


@dataclass(frozen=True)
class TransferFit:
    """seconds = latency + bytes / bandwidth. ``residual``: median of |fit / measured - 1|, ``worst`` its maximum.

    ``samples``: bytes, seconds (median of the trimmed repeats) and fitted seconds.
    """

    latency_s: float
    bytes_per_s: float
    residual: float
    worst: float
    samples: tuple[tuple[int, float, float], ...]

    def to_dict(self) -> dict[str, object]:
        """JSON-able form, in the units of links."""
        return {
            "latency_us": self.latency_s * 1e6,
            "bandwidth_gb_per_s": self.bytes_per_s / BYTES_PER_GB,
            "residual": self.residual,
            "worst": self.worst,
            "samples": [list(row) for row in self.samples],
        }


def fit_transfer(sizes_bytes: Sequence[int], seconds: Sequence[float]) -> TransferFit:
    """Least squares of the relative error, so that small messages count as much as large ones (Hockney 1994)."""
    size, measured = np.asarray(sizes_bytes, np.float64), np.asarray(seconds, np.float64)
    rows: npt.NDArray[np.float64] = np.stack([1.0 / measured, size / measured], axis=1)
    latency, per_byte = np.linalg.lstsq(rows, np.ones(len(size)), rcond=None)[0]
    if latency < LEAST_LATENCY_S:
        latency = LEAST_LATENCY_S
        share = size / measured
        per_byte = float((share * (1.0 - latency / measured)).sum() / (share * share).sum())
    per_byte = min(max(float(per_byte), 1e-15), 1.0 / FLOOR_BYTES_PER_S)
    fitted = latency + size * per_byte
    errors = np.abs(fitted / measured - 1.0)
    return TransferFit(
        float(latency),
        1.0 / per_byte,
        float(np.median(errors)),
        float(errors.max()),
        tuple((int(a), float(b), float(c)) for a, b, c in zip(size, measured, fitted, strict=True)),
    )


def measure_transfers(
    handle: DeviceHandle, sizes_bytes: Sequence[int] = SIZES_BYTES, rule: Rule | None = None
) -> dict[str, TransferFit]:
    """Copies from the host to a device ("h2d") and back ("d2h"), one after another, fitted. Raises ``RuntimeFault``."""
    rule = rule or Rule()
    seconds: dict[str, list[float]] = {name: [] for name in DIRECTIONS}
    for size in sizes_bytes:
        host, buffer = handle.host_buffer(size), handle.alloc(size)
        try:
            host.array()[:] = 1
            for name in DIRECTIONS:
                copy = handle.copy_h2d if name == "h2d" else handle.copy_d2h
                times = []
                for _ in range(rule.repeats + 2):  # the first two warm up
                    event = copy(buffer, host, size)
                    handle.synchronize(event, COPY_SECONDS)
                    times.append(handle.elapsed_s(event) or 0.0)
                seconds[name].append(max(1e-9, summarise(times[2:], rule).median_s))
        finally:
            handle.free(buffer)
            host.close()
    return {name: fit_transfer(sizes_bytes, seconds[name]) for name in DIRECTIONS}


def calibrated_links(pool: DevicePool, fits: Mapping[str, Mapping[str, TransferFit]]) -> DevicePool:
    """The pool with the measured figures on the links between each named device and the host, both directions.

    Links keep their class and shared channel; other links keep their figures. Raises ``PoolError`` for figures that
    no link can have and for unknown devices.
    """
    host = pool.store_names[pool.host]
    links: list[Link] = []
    for link in pool.all_links:
        ends = {link.source, link.target}
        name = next((name for name in fits if {name, host} == ends), None)
        if name is None:
            links.append(link)
            continue
        for direction, source, target in (("h2d", host, name), ("d2h", name, host)):
            if link.directed and (link.source, link.target) != (source, target):
                continue
            fit = fits[name][direction]
            figures = {
                "bandwidth_gb_per_s": fit.bytes_per_s / BYTES_PER_GB,
                "latency_us": fit.latency_s * 1e6,
            }
            links.append(
                Link.from_dict({**link.to_dict(), "source": source, "target": target, "directed": True, **figures})
            )
    for name in fits:
        pool.index(name)
    return DevicePool.from_dict({**pool.to_dict(), "links": [link.to_dict() for link in links]})
