"""List schedules that weigh time, energy and balance: each operator to the device with the least weighted sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.links import Costs
from heteroopt.search.seeds.list_schedule import arrival, usable

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


def weight_grid() -> Float64:
    """Return float64 [k, 3] weights of time, energy and balance, from one-sided to even."""
    grid = [
        (time, energy, balance)
        for time in (0.0, 0.2, 0.5, 1.0)
        for energy in (0.0, 0.2, 0.5, 1.0)
        for balance in (0.0, 0.1, 0.4, 2.0)
        if max(time, energy) == 1.0 or (balance == 2.0 and time + energy > 0.0)
    ]
    return np.array([*grid, (0.0, 0.0, 1.0)])


@kernel
def weighted_schedule(
    costs: Costs, priority: Int32, weights: Float64, time_scale: float, energy_scale: float, device: Int32
) -> None:
    """Fill ``device`` [n] in the topological order ``priority``, devices serving in that order.

    The score of a device is ``w0 * finish / time_scale + w1 * sqrt(n) * added energy / energy_scale + w2 * standard
    deviation of the busy times / time_scale``. The square root puts one operator's energy on the scale of a finish
    time, which has grown over all operators before it.
    """
    n, n_devices = costs.time.shape
    space = costs.space
    finish = np.zeros(n)
    free = np.zeros(n_devices)
    busy = np.zeros(n_devices)
    chosen = np.full(len(space.member_ptr), -1, np.int32)
    everything = np.ones(n_devices, np.bool_)
    root = np.sqrt(float(n))
    for place in range(n):
        operator = priority[place]
        best, best_score, best_finish = -1, np.inf, 0.0
        for d in range(n_devices):
            if not usable(costs, operator, d, everything, chosen):
                continue
            duration = costs.time[operator, d]
            end = max(free[d], arrival(costs, operator, d, finish, device)) + duration
            energy = costs.energy[operator, d]
            for edge in range(space.pred_ptr[operator], space.pred_ptr[operator + 1]):
                source = device[space.pred_idx[edge]]
                if source != d:
                    energy += costs.pred_bytes[edge] * costs.energy_per_byte[source, d]
            total, squares = 0.0, 0.0
            for other in range(n_devices):
                load = busy[other] + (duration if other == d else 0.0)
                total += load
                squares += load * load
            spread = np.sqrt(max(0.0, squares / n_devices - (total / n_devices) ** 2))
            score = (
                weights[0] * end / time_scale
                + weights[1] * root * energy / energy_scale
                + weights[2] * spread / time_scale
            )
            if score < best_score:
                best, best_score, best_finish = d, score, end
        device[operator] = best
        finish[operator] = best_finish
        free[best] = best_finish
        busy[best] += costs.time[operator, best]
        group = space.group[operator]
        if group >= 0:
            chosen[group] = best
