"""Placements that are best as if everything ran one after the other: what time and energy cost along each edge.

A weighted sum of both is then a sum over operators and edges, which dynamic programming makes least on a tree. The
tree of a graph is the edge of each operator that carries most; what the other edges cost is taken from the round
before. On models that are nearly chains these plans trace the whole front of time against energy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import inlined, kernel
from heteroopt.search.links import Costs
from heteroopt.search.space import assign
from heteroopt.simulation.problem import Problem

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]

ENERGY_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
BALANCED_SHARES = (0.0, 0.3, 0.7)
ROUNDS = 4
_PRICE_ROUNDS = 8
_PRICE_STEP = 0.15
_LEAST_PRICE = -0.9
_MOST_STEPS = 12_000_000
_LARGE = 1_000
_MOST_STEPS_LARGE = 60_000_000
"""Steps of the inner loop, about 4 ns each: many devices get fewer plans, so that the first front is not late. Above
1,000 operators these plans come one generation later, and may take longer."""


def serial_plans(
    problem: Problem, costs: Costs, order: Int32, subsets: list[Bool], time_scale: float, energy_scale: float
) -> list[Int32]:
    """Return devices int32 [n] of the plans: per subset of devices a series from least time to least energy.

    On the first subset, all devices, further series make the time on busy devices dearer until all are equally busy.
    ``order``: a topological order; ``time_scale`` ps and ``energy_scale`` pJ: what the two are divided by. Idle power
    of the subset counts, since every picosecond costs that too. Deterministic.
    """
    n, n_devices = costs.time.shape
    most_steps = _MOST_STEPS if n <= _LARGE else _MOST_STEPS_LARGE
    left = max(len(ENERGY_SHARES), most_steps // (n * n_devices * n_devices * ROUNDS))
    parent = heaviest_edges(costs)
    spent = np.where(np.isfinite(costs.time), costs.time, 0.0)
    plans: list[Int32] = []

    def start(allowed: Bool, share: float) -> tuple[float, float, Int32]:
        idle_w = float(problem.idle_power_w[allowed | problem.idle_energy_pool].sum())
        weight = share / energy_scale
        return (1.0 - share) / time_scale + weight * idle_w, weight, costs.space.fastest.copy()

    series = [(subsets[0], share, 1) for share in ENERGY_SHARES]
    series.extend((subsets[0], share, _PRICE_ROUNDS) for share in BALANCED_SHARES)
    series.extend((allowed, share, 1) for allowed in subsets[1:] for share in ENERGY_SHARES)
    for allowed, share, rounds in series:
        if left <= 0:
            break
        left -= rounds
        time_weight, energy_weight, device = start(allowed, share)
        price = np.zeros(n_devices)
        for step in range(rounds):
            serial_placement(
                costs, order, parent, time_weight, energy_weight, allowed, price, ROUNDS if step == 0 else 2, device
            )
            plans.append(device.copy())
            busy = np.bincount(device, weights=spent[np.arange(n), device], minlength=n_devices)
            share_of_even = busy / max(float(busy.sum()), 1.0) * float(allowed.sum())
            price = np.maximum(_LEAST_PRICE, price + _PRICE_STEP * (share_of_even - 1.0))
    return plans


def heaviest_edges(costs: Costs) -> Int32:
    """Return int32 [n]: the place in ``pred_idx`` of each operator's predecessor that it reads most from; -1: none."""
    space = costs.space
    parent = np.full(len(space.group), -1, np.int32)
    for operator in range(len(parent)):
        first, last = int(space.pred_ptr[operator]), int(space.pred_ptr[operator + 1])
        if last > first:
            parent[operator] = first + int(costs.pred_bytes[first:last].argmax())
    return parent


@inlined
def _move(
    latency: Float64, per_byte: Float64, energy_per_byte: Float64, source: int, target: int, size: float,
    time_weight: float, energy_weight: float,
) -> float:  # fmt: skip
    """What it costs to bring ``size`` bytes from one store to another."""
    if source == target:
        return 0.0
    time = latency[source, target] + size * per_byte[source, target]
    return time_weight * time + energy_weight * size * energy_per_byte[source, target]  # type: ignore[no-any-return]


@kernel
def serial_placement(
    costs: Costs, order: Int32, parent: Int32, time_weight: float, energy_weight: float, allowed: Bool, price: Float64,
    rounds: int, device: Int32,
) -> None:  # fmt: skip
    """Replace ``device`` [n] by a placement with a small sum of operators' and edges' weighted costs.

    ``parent`` [n]: see ``heaviest_edges``; the first of the ``rounds`` leaves out all other edges. ``allowed`` [D]:
    devices to use where an operator may run on one of them. ``price`` [D]: an operator's time on a device counts
    1 + price times. Members of a group follow the last of them.
    """
    space, time, energy, input_bytes, host = costs.space, costs.time, costs.energy, costs.input_bytes, costs.host
    latency, per_byte, energy_per_byte = costs.latency, costs.per_byte, costs.energy_per_byte
    pred_ptr, pred_idx, pred_bytes, legal = space.pred_ptr, space.pred_idx, costs.pred_bytes, space.legal
    n, n_devices = time.shape
    least = np.empty((n, n_devices))
    choice = np.zeros((n, n_devices), np.int32)
    for turn in range(rounds):
        for operator in range(n):
            bound = False
            for d in range(n_devices):
                bound = bound or (legal[operator, d] and allowed[d])
            for d in range(n_devices):
                least[operator, d] = np.inf
                if legal[operator, d] and (allowed[d] or not bound):
                    cost = time_weight * (1.0 + price[d]) * time[operator, d] + energy_weight * energy[operator, d]
                    if host >= 0 and input_bytes[operator] > 0.0:
                        cost += _move(
                            latency, per_byte, energy_per_byte, host, d, input_bytes[operator], time_weight,
                            energy_weight,
                        )  # fmt: skip
                    least[operator, d] = cost
        if turn > 0:
            for operator in range(n):
                for edge in range(pred_ptr[operator], pred_ptr[operator + 1]):
                    if edge == parent[operator]:
                        continue
                    other, size = pred_idx[edge], pred_bytes[edge]
                    for d in range(n_devices):
                        least[operator, d] += _move(
                            latency, per_byte, energy_per_byte, device[other], d, size, time_weight, energy_weight
                        )
                        least[other, d] += _move(
                            latency, per_byte, energy_per_byte, d, device[operator], size, time_weight, energy_weight
                        )
        for place in range(n - 1, -1, -1):
            operator = order[place]
            edge = parent[operator]
            if edge < 0:
                continue
            above, size = pred_idx[edge], pred_bytes[edge]
            for source in range(n_devices):
                best, pick = np.inf, device[operator]
                for d in range(n_devices):
                    cost = least[operator, d] + _move(
                        latency, per_byte, energy_per_byte, source, d, size, time_weight, energy_weight
                    )
                    if cost < best:
                        best, pick = cost, d
                least[above, source] += best
                choice[operator, source] = pick
        for place in range(n):
            operator = order[place]
            edge = parent[operator]
            if edge >= 0:
                pick = choice[operator, device[pred_idx[edge]]]
            else:
                pick = device[operator]
                for d in range(n_devices):
                    if least[operator, d] < least[operator, pick]:
                        pick = d
            assign(space, device, operator, pick)
