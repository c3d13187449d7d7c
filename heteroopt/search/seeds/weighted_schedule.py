"""List schedules that weigh time, energy and balance: each operator to the device with the least weighted sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.links import Costs
from heteroopt.search.seeds.list_schedule import arrivals, usable

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
    space, time, spent, host, input_bytes = costs.space, costs.time, costs.energy, costs.host, costs.input_bytes
    latency, per_byte, energy_per_byte, pred_bytes = (
        costs.latency, costs.per_byte, costs.energy_per_byte, costs.pred_bytes,
    )  # fmt: skip
    legal, group, pred_ptr, pred_idx = space.legal, space.group, space.pred_ptr, space.pred_idx
    n, n_devices = time.shape
    ready_at, use = np.zeros(n_devices), np.zeros(n_devices, np.bool_)
    finish = np.zeros(n)
    free = np.zeros(n_devices)
    busy = np.zeros(n_devices)
    chosen = np.full(len(space.member_ptr), -1, np.int32)
    everything = np.ones(n_devices, np.bool_)
    root = np.sqrt(float(n))
    for place in range(n):
        operator = priority[place]
        best, best_score, best_finish = -1, np.inf, 0.0
        usable(operator, legal, group, everything, chosen, use)
        arrivals(
            operator, host, input_bytes, latency, per_byte, pred_ptr, pred_idx, pred_bytes, finish, device, ready_at
        )
        for d in range(n_devices):
            if not use[d]:
                continue
            duration = time[operator, d]
            end = max(free[d], ready_at[d]) + duration
            energy = spent[operator, d]
            for edge in range(pred_ptr[operator], pred_ptr[operator + 1]):
                source = device[pred_idx[edge]]
                if source != d:
                    energy += pred_bytes[edge] * energy_per_byte[source, d]
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
        busy[best] += time[operator, best]
        if group[operator] >= 0:
            chosen[group[operator]] = best
