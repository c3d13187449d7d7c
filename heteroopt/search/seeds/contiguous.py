"""Contiguous splits: the order cut into runs of equal or given shares of the work, one device a run."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.links import Costs
from heteroopt.search.seeds.single_device import single_device_plan

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

_SHARES = (0.2, 0.4, 0.5, 0.6, 0.8)
MOST_SPLITS = 64


def contiguous_plans(costs: Costs, order: Int32, most: int = MOST_SPLITS) -> list[Int32]:
    """Return up to ``most`` plans: two devices at several shares, all devices with equal and speed-balanced ones."""
    n_devices = costs.time.shape[1]
    whole = np.where(np.isfinite(costs.time), costs.time, 0.0).sum(axis=0)
    speed = 1.0 / np.maximum(whole, 1.0)
    cuts: list[tuple[tuple[int, ...], list[float]]] = []
    if n_devices > 1:
        cuts.append((tuple(range(n_devices)), [1.0 / n_devices] * n_devices))
        cuts.append((tuple(range(n_devices)), list(speed / speed.sum())))
    if n_devices <= 4:
        for devices in (subset for size in (2, 3) for subset in combinations(range(n_devices), size)):
            if len(devices) == n_devices:
                continue
            part = speed[list(devices)]
            cuts.append((devices, list(part / part.sum())))
    for share in _SHARES:
        cuts.extend((pair, [share, 1.0 - share]) for pair in permutations(range(n_devices), 2))
    return [_split(costs, order, devices, shares) for devices, shares in cuts[:most]]


def _split(costs: Costs, order: Int32, devices: tuple[int, ...], shares: list[float]) -> Int32:
    """Cut the order where the first device's cumulative time reaches each cumulative share."""
    space = costs.space
    work = np.where(np.isfinite(costs.time[order, devices[0]]), costs.time[order, devices[0]], 0.0)
    done = np.cumsum(work) - work / 2
    limits = np.cumsum(shares)[:-1] * max(float(work.sum()), 1.0)
    run = np.searchsorted(limits, done, side="right")
    device = single_device_plan(space, devices[0])
    wanted = np.asarray(devices, np.int32)[run]
    legal = space.legal[order, wanted] & (space.group[order] < 0)
    device[order[legal]] = wanted[legal]
    return device
