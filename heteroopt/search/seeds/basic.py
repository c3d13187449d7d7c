"""The three kinds of R14: random plans, performance-greedy plans and round-robin plans."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.genome import random_devices, random_order
from heteroopt.search.links import Costs
from heteroopt.search.random_bits import draw_state
from heteroopt.search.space import assign

Int32 = NDArray[np.int32]


def random_plans(costs: Costs, count: int, generator: np.random.Generator) -> tuple[Int32, Int32]:
    """Return ``count`` genomes: a random topological order, a random legal device per operator."""
    orders, devices = _empty(costs, count)
    state = draw_state(generator)
    for row in range(count):
        random_order(costs.space, state, orders[row])
        random_devices(costs.space, state, devices[row])
    return orders, devices


def greedy_plans(costs: Costs, count: int, generator: np.random.Generator) -> tuple[Int32, Int32]:
    """Return ``count`` genomes: every operator on its fastest device, times seen through growing log-normal noise.

    The first plan is without noise; the noise (standard deviation of the logarithm up to 0.5) makes the others
    differ where devices are close. Orders are random.
    """
    orders, devices = _empty(costs, count)
    state = draw_state(generator)
    n, n_devices = costs.time.shape
    for row in range(count):
        random_order(costs.space, state, orders[row])
        spread = 0.5 * row / max(1, count - 1)
        seen = (costs.time + 1.0) * np.exp(spread * generator.standard_normal((n, n_devices)))
        _place(costs, devices[row], seen.argmin(axis=1))
    return orders, devices


def round_robin_plans(costs: Costs, count: int, generator: np.random.Generator) -> tuple[Int32, Int32]:
    """Return ``count`` genomes: along a random topological order, runs of equal length go around the devices.

    An operator that the device whose turn it is may not run takes its own next legal device.
    """
    orders, devices = _empty(costs, count)
    state = draw_state(generator)
    n, n_devices = costs.time.shape
    for row in range(count):
        random_order(costs.space, state, orders[row])
        run = 1 if row == 0 else int(np.exp(generator.uniform(0.0, np.log(max(2.0, n / 2)))))
        offset = int(generator.integers(n_devices))
        turn = np.empty(n, np.int64)
        turn[orders[row]] = np.arange(n) // run + offset
        first = costs.space.choice_ptr[:-1]
        choices = np.diff(costs.space.choice_ptr)
        legal = costs.space.legal[np.arange(n), turn % n_devices]
        other = costs.space.choice_idx[first + turn % choices]
        _place(costs, devices[row], np.where(legal, turn % n_devices, other))
    return orders, devices


def _empty(costs: Costs, count: int) -> tuple[Int32, Int32]:
    n = costs.time.shape[0]
    return np.empty((count, n), np.int32), np.tile(costs.space.fastest, (count, 1))


def _place(costs: Costs, device: Int32, wanted: NDArray[np.intp]) -> None:
    """Take the wanted device of every operator; a group takes that of its last member."""
    space = costs.space
    alone = space.group < 0
    device[alone] = wanted[alone]
    for operator in np.flatnonzero(~alone):
        assign(space, device, int(operator), int(wanted[operator]))
