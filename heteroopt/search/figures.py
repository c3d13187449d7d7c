"""Figures of a decoded plan that the compiled polish can read, in the decoder's own units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.constraints import TOLERANCE
from heteroopt.simulation.latency_bound import waiting
from heteroopt.simulation.problem import Float64, Int64
from heteroopt.simulation.scratch import BOTTLENECK_PS, ENERGY_PJ, LOAD_VARIANCE, TIME_PS, TRANSFERRED_BYTES, Scratch

TIME = 0
"""Makespan in ps."""
ENERGY = 1
"""pJ."""
BALANCE = 2
"""Variance of the utilisation."""
BOTTLENECK = 3
"""ps, at least 1: 1 / throughput."""
PEAK = 4
"""Highest peak in bytes among the memories of the devices."""
TRANSFERRED = 5
"""Bytes."""
PRICE = 6
"""Cost per hour of the devices used."""
STEP = 7
"""ps that a step cannot take less than: the makespan, and one bottleneck more for each further item."""

LATENCY = 8
"""ps: an estimate of the P99 latency, the makespan and the P99 waiting time of the busiest queue by itself."""


class Aim(NamedTuple):
    """What the polish works towards: the sum of figures times ``scale``, within bounds.

    ``code``, ``scale`` [m]; bounds ``sign`` x (figure - ``limit``) <= 0 on the figures ``bound`` [b], whose excess
    counts in multiples of ``size``. ``memory``: memories of the devices; ``price`` [D] per hour; ``items`` of a step;
    ``wait`` and ``wait_step``: ``heteroopt.simulation.latency.waiting_table`` where there is an arrival rate.
    """

    code: Int64
    scale: Float64
    bound: Int64
    sign: Float64
    limit: Float64
    size: Float64
    memory: Int64
    price: Float64
    items: float
    wait: Float64
    wait_step: float
    with_peak: bool


@kernel
def figure(aim: Aim, s: Scratch, code: int) -> float:
    """The figure ``code`` of the plan that ``s`` was just decoded from (with peaks, if it is the peak)."""
    if code == TIME:
        return float(s.result[TIME_PS])
    if code == ENERGY:
        return float(s.value[ENERGY_PJ])
    if code == BALANCE:
        return float(s.value[LOAD_VARIANCE])
    if code == BOTTLENECK:
        return float(max(1, s.result[BOTTLENECK_PS]))
    if code == TRANSFERRED:
        return float(s.result[TRANSFERRED_BYTES])
    if code == STEP:
        return float(s.result[TIME_PS]) + (aim.items - 1.0) * float(s.result[BOTTLENECK_PS])
    if code == LATENCY:
        wait = waiting(aim.wait, aim.wait_step, float(s.result[BOTTLENECK_PS]))
        return float(s.result[TIME_PS]) + wait
    total = 0.0
    if code == PEAK:
        for k in range(len(aim.memory)):
            total = max(total, float(s.peak[aim.memory[k]]))
    else:
        for d in range(len(aim.price)):
            if s.n_placed[d] > 0:
                total += aim.price[d]
    return total


@kernel
def excess(aim: Aim, s: Scratch) -> float:
    """What the plan misses the bounds by, summed relative to each one's size; 0 within all of them."""
    total = 0.0
    for k in range(len(aim.bound)):
        over = aim.sign[k] * (figure(aim, s, aim.bound[k]) - aim.limit[k])
        if over > TOLERANCE * abs(aim.limit[k]):
            total += over / aim.size[k]
    return total


@kernel
def prices(devices: NDArray[np.int32], price: Float64) -> Float64:
    """float64 [P]: sum of ``price`` [D] over the devices that each row of ``devices`` [P, n] uses."""
    result = np.zeros(len(devices))
    used = np.zeros(len(price), np.int64)
    for row in range(len(devices)):
        for k in range(devices.shape[1]):
            used[devices[row, k]] = row + 1
        for d in range(len(price)):
            if used[d] == row + 1:
                result[row] += price[d]
    return result
