"""Copies between a device and its host: timed by size, fitted as latency and bandwidth, with what the fit misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from heteroopt.calibration.portable.timing import Rule, summarise
from heteroopt.costs.measured_transfers import DIRECTIONS, TransferFit
from heteroopt.devices.checks import RANGES
from heteroopt.devices.links import Link
from heteroopt.devices.pool import DevicePool
from heteroopt.runtimes.handle import DeviceHandle
from heteroopt.units import BYTES_PER_GB

SIZES_BYTES: tuple[int, ...] = tuple(1 << power for power in range(12, 27, 2))
"""4 KiB to 64 MiB."""

LEAST_LATENCY_S = 1e-9
FLOOR_BYTES_PER_S = 1e6
COPY_SECONDS = 60.0


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

    Links keep their class and shared channel; other links keep their figures, and those that are taken for granted
    stay so. Figures are kept within what a link can have. Raises ``PoolError`` for unknown devices.
    """
    host = pool.store_names[pool.host]
    for name in fits:
        pool.index(name)
    links: list[Link] = []
    for link in pool.all_links:
        device = next((name for name in fits if {name, host} == {link.source, link.target}), None)
        if device is None:
            links.extend([link] if link in pool.links else [])
            continue
        for direction, source, target in (("h2d", host, device), ("d2h", device, host)):
            if link.directed and (link.source, link.target) != (source, target):
                continue
            ends = {"source": source, "target": target, "directed": True}
            links.append(Link.from_dict({**link.to_dict(), **ends, **_figures(fits[device][direction])}))
    return type(pool).from_dict({**pool.to_dict(), "links": [link.to_dict() for link in links]})


def measured_links(pool: DevicePool, found_by: Mapping[str, Mapping[str, TransferFit]]) -> DevicePool:
    """:func:`calibrated_links` with what the calibrations of devices, by name, measured. The host itself, and devices
    that share its memory, keep their links: nothing is copied there.
    """
    host = pool.devices[pool.host] if pool.host < len(pool.devices) else None
    domain = None if host is None else host.memory_domain
    fits = {}
    for name, found in found_by.items():
        device = pool.devices[pool.index(name)]
        shared = domain is not None and device.memory_domain == domain
        if found and device is not host and not shared:
            fits[name] = found
    return calibrated_links(pool, fits) if fits else pool


def _figures(fit: TransferFit) -> dict[str, float]:
    found = {"bandwidth_gb_per_s": fit.bytes_per_s / BYTES_PER_GB, "latency_us": fit.latency_s * 1e6}
    return {name: rounded(min(RANGES[name].high, max(RANGES[name].low, value))) for name, value in found.items()}


def rounded(value: float, digits: int = 4) -> float:
    """A measured figure with the digits that people read; repetitions differ by more."""
    return float(f"{value:.{digits}g}")
