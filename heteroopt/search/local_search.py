"""Local search around a front: small changes of its plans, each of which may enter the archive.

What a search that inherited a front does in its first generations. The extremes are known; what a change of the pool
took from the front lies anywhere along it, and is regained by trying many changes of many plans and keeping every
result that no other dominates. Source: L. Paquete, M. Chiarandini, T. Stuetzle, "Pareto local optimum sets in the
biobjective traveling salesman problem: an experimental study", in Metaheuristics for Multiobjective Optimisation,
Springer, 2004. Plans are taken by chance: one in five evenly, the others by the root of their hypervolume contribution.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.archive import Archive
from heteroopt.search.compiled import ZERO, kernel
from heteroopt.search.hypervolume import contributions
from heteroopt.search.links import Costs
from heteroopt.search.mutation import mutate
from heteroopt.search.polish import RANKED, kind_of_change
from heteroopt.search.random_bits import UInt64, draw_state, uniform
from heteroopt.search.ranked_order import ranked_order
from heteroopt.search.settings import SearchSettings

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
IntP = NDArray[np.intp]

GENERATIONS = 20
"""A search's local changes are spread over so many generations."""
SHARE = 1.75
"""Changes that a search tries, in multiples of the polishing decodes of one that starts from nothing."""
RECOMBINED = 0.15
"""Share of them that is put together from sections of the front's plans."""
ROUNDS = 4
"""Rounds of a generation; each starts from what the one before it found."""
JOINING = 24
"""Plans of the front that join the population after each generation's rounds."""
TWICE = 0.3
"""Share of plans that are changed twice."""


def rounds(settings: SearchSettings, generation: int) -> Iterator[tuple[int, np.random.Generator]]:
    """Yield plans to try and a random generator for each round of a generation (from 1) of resolved settings."""
    last = min(GENERATIONS, settings.generations or 0)
    if generation > last:
        return
    plans = int(SHARE * (settings.polish_decodes or 0)) // last
    for number in range(ROUNDS):
        count = plans // ROUNDS + (number < plans % ROUNDS)
        if count > 0:
            yield count, np.random.default_rng([settings.seed, 3, generation, number])


def changed_plans(
    archive: Archive, multiples: Float64, costs: Costs, count: int, generator: np.random.Generator
) -> tuple[Int32, Int32]:
    """Return orders and devices [count, n]: plans of the archive, which is not empty, changed once or twice."""
    rows, contribution = contributions(multiples)
    chance = np.sqrt(contribution)
    total = chance.sum()
    even = np.full(len(rows), 1.0 / len(rows))
    chance = 0.2 * even + 0.8 * chance / total if total > 0 else even
    picked, source = np.unique(rows[generator.choice(len(rows), count, p=chance)], return_inverse=True)
    orders, devices = archive.take(picked).stacked()
    orders, devices = orders[source], devices[source]
    times = 1 + (generator.random(count) < TWICE).astype(np.int64)
    change(costs, orders, devices, times, draw_state(generator))
    return orders, devices


def carriers(multiples: Float64, count: int) -> IntP:
    """Return the rows [<= count] of a front that contribute most to its hypervolume."""
    rows, contribution = contributions(multiples)
    return rows[np.argsort(-contribution, kind="stable")[:count]]


@kernel
def change(costs: Costs, orders: Int32, devices: Int32, times: Int64, state: UInt64) -> None:
    """Change each plan [k, n] in place, so many ``times`` [k], as a step of annealing does."""
    n = orders.shape[1]
    mark, segment = np.zeros(n, np.int32), np.empty(n, np.int32)
    key = np.empty(n)
    step = ZERO
    for plan in range(len(orders)):
        ranked = False
        for _ in range(times[plan]):
            step += 1
            draw = uniform(state)
            mutate(costs.space, kind_of_change(draw), state, mark, step, segment, orders[plan], devices[plan])
            ranked = ranked or draw < RANKED
        if ranked:
            ranked_order(costs, devices[plan], key, orders[plan])
