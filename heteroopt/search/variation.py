"""All offspring of one generation in one compiled call: tournaments, crossover, mutations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import ZERO, kernel
from heteroopt.search.crossover import cross_devices, prefix_crossover
from heteroopt.search.mutation import (
    BOUNDARY,
    CHAIN,
    EVERY_GENE,
    KINDS,
    MOVE,
    SEGMENT,
    SINGLE,
    SWAP,
    WINDOW,
    mutate,
)
from heteroopt.search.random_bits import UInt64, below, uniform
from heteroopt.search.space import Space

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

CROSSOVER_PROB = 0.9

_FREQUENCY = {SINGLE: 1.0, SEGMENT: 1.8, BOUNDARY: 1.2, WINDOW: 0.9, MOVE: 1.0, SWAP: 0.2, EVERY_GENE: 0.2, CHAIN: 0.6}


def mutation_rates(mutation_prob: float) -> Float64:
    """Return float64 [KINDS]: the chance of each mutation per child, the setting times its frequency, at most 1.

    Device changes are frequent, swaps of neighbours and the chance for every operator rare (R15); connected
    segments come first because one operator moved alone mostly pays for two more transfers.
    """
    return np.minimum(1.0, mutation_prob * np.array([_FREQUENCY[kind] for kind in range(KINDS)]))


@kernel
def tournament(rank: Int64, crowding: Float64, state: UInt64) -> int:
    """Return the better of two random rows: lower rank, then larger crowding distance, then the first drawn."""
    first, second = below(state, len(rank)), below(state, len(rank))
    if rank[second] < rank[first] or (rank[second] == rank[first] and crowding[second] > crowding[first]):
        return second
    return first


@kernel
def offspring(
    space: Space, orders: Int32, devices: Int32, parents: Int64, rank: Int64, crowding: Float64, rates: Float64,
    state: UInt64, children: Int64,
) -> None:  # fmt: skip
    """Fill the rows ``children`` of ``orders`` and ``devices`` [slots, n] from the rows ``parents`` of the same.

    ``rank`` and ``crowding`` [p] decide the tournaments; ``rates`` [KINDS] are chances of each mutation. A child that
    neither crossover nor mutation touched gets one mutation at random.
    """
    n = orders.shape[1]
    mark = np.zeros(n, np.int32)
    scratch = np.empty(n, np.int32)
    stamp = ZERO
    for row in range(len(children)):
        order, device = orders[children[row]], devices[children[row]]
        mother = parents[tournament(rank, crowding, state)]
        father = parents[tournament(rank, crowding, state)]
        device[:] = devices[mother]
        touched = False
        if mother != father and uniform(state) < CROSSOVER_PROB:
            touched = True
            cut = below(state, n)
            stamp += 1
            prefix_crossover(orders[mother], orders[father], cut, mark, stamp, order)
            stamp += 1
            cross_devices(space, devices[father], order, cut, state, mark, stamp, scratch, device)
        else:
            order[:] = orders[mother]
        for kind in range(KINDS):
            if uniform(state) < rates[kind]:
                touched = True
                stamp += 1
                mutate(space, kind, state, mark, stamp, scratch, order, device)
        if not touched:
            stamp += 1
            mutate(space, below(state, KINDS), state, mark, stamp, scratch, order, device)
