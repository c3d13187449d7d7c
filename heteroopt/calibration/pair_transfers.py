"""Copies between any ends of a pool, from what its calibrations measured: legs that meet in the memory of the host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from heteroopt.costs.measured_transfers import TransferFit
from heteroopt.devices.pool import DevicePool


@dataclass(frozen=True, slots=True)
class MeasuredLegs:
    """Copies between a device and the memory of ``host``, by direction ("h2d", "d2h"), as its calibration timed them.

    Runtimes offer copies between one of their devices and the host only, so these are all that can be timed.
    """

    host: str
    fits: Mapping[str, TransferFit]


@dataclass(frozen=True, slots=True)
class PairTransfer:
    """A copy from ``source`` to ``target``. ``path``: "measured", the leg between a device and the host; "composed",
    device to host to device, the sum of two measured legs.
    """

    source: str
    target: str
    path: Literal["measured", "composed"]
    fit: TransferFit

    def to_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return {"source": self.source, "target": self.target, "path": self.path, "fit": self.fit.to_dict()}


def composed(first: TransferFit, second: TransferFit) -> TransferFit:
    """Two copies after the other (store and forward): latencies and seconds a byte add up.

    Samples are sums of what was measured and fitted at the sizes that both have; misses are of these sums, or the
    greater one of the two where no size is common (the relative error of a sum of positive figures is never greater).
    """
    of_second = {size: (measured, fitted) for size, measured, fitted in second.samples}
    samples = tuple(
        (size, measured + of_second[size][0], fitted + of_second[size][1])
        for size, measured, fitted in first.samples
        if size in of_second
    )
    residual, worst = max(first.residual, second.residual), max(first.worst, second.worst)
    if samples:
        errors = np.abs(np.array([fitted / measured - 1.0 for _, measured, fitted in samples]))
        residual, worst = float(np.median(errors)), float(errors.max())
    bytes_per_s = 1.0 / (1.0 / first.bytes_per_s + 1.0 / second.bytes_per_s)
    return TransferFit(first.latency_s + second.latency_s, bytes_per_s, residual, worst, samples)


def pair_transfers(
    pool: DevicePool, found_by: Mapping[str, MeasuredLegs], ends: Iterable[tuple[str, str]] | None = None
) -> Iterator[PairTransfer]:
    """What was measured of the pairs of ends (all of them by default), in their order; pairs without figures are left
    out: ends that share a memory copy nothing, and legs that end in the memories of two machines do not meet.

    ``found_by``: the legs of calibrated devices by name. Plans take the same path where a pool states no link of two
    devices (:func:`heteroopt.devices.routes.find_routes`). Raises ``PoolError`` for an unknown device.
    """
    host = pool.store_names[pool.host]
    for name in found_by:
        pool.index(name)
    domains = {device.name: device.memory_domain for device in pool.devices}
    host_domain = domains.get(host)
    on_host = {host} | {name for name, domain in domains.items() if domain is not None and domain == host_domain}
    if ends is None:
        ends = ((source, target) for source in pool.store_names for target in pool.store_names)
    for source, target in ends:
        domain = domains.get(source)
        if source == target or (domain is not None and domain == domains.get(target)):
            continue
        legs = [(name, way) for name, way in ((source, "d2h"), (target, "h2d")) if name not in on_host]
        known = [found_by[name] for name, way in legs if name in found_by and way in found_by[name].fits]
        if not legs or len(known) < len(legs) or len({one.host for one in known}) > 1:
            continue
        fits = [one.fits[way] for one, (_, way) in zip(known, legs, strict=True)]
        if len(fits) == 1:
            yield PairTransfer(source, target, "measured", fits[0])
        else:
            yield PairTransfer(source, target, "composed", composed(*fits))
