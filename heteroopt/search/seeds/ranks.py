"""Priorities of list scheduling: upward rank (HEFT) and optimistic cost table (PEFT).

Sources: H. Topcuoglu, S. Hariri, M. Wu, "Performance-effective and low-complexity task scheduling for
heterogeneous computing", IEEE TPDS 13(3), 2002; H. Arabnejad, J. G. Barbosa, "List scheduling algorithm for
heterogeneous systems by an optimistic cost table", IEEE TPDS 25(3), 2014.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.links import Costs

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


@kernel
def upward_rank(costs: Costs, topological: Int32) -> Float64:
    """Return float64 [n] in ps: mean time over the legal devices plus the costliest way to the end."""
    space = costs.space
    n, n_devices = costs.time.shape
    rank = np.zeros(n)
    for place in range(n - 1, -1, -1):
        operator = topological[place]
        mean = 0.0
        count = 0
        for d in range(n_devices):
            if space.legal[operator, d]:
                mean += costs.time[operator, d]
                count += 1
        tail = 0.0
        for edge in range(space.succ_ptr[operator], space.succ_ptr[operator + 1]):
            way = costs.mean_latency + costs.succ_bytes[edge] * costs.mean_per_byte + rank[space.succ_idx[edge]]
            tail = max(tail, way)
        rank[operator] = mean / count + tail
    return rank


@kernel
def optimistic_cost(costs: Costs, topological: Int32) -> Float64:
    """Return float64 [n, D] in ps: the shortest possible time from the operator's end on d to the end of the graph."""
    space = costs.space
    n, n_devices = costs.time.shape
    table = np.zeros((n, n_devices))
    for place in range(n - 1, -1, -1):
        operator = topological[place]
        for d in range(n_devices):
            worst = 0.0
            for edge in range(space.succ_ptr[operator], space.succ_ptr[operator + 1]):
                successor = space.succ_idx[edge]
                best = np.inf
                for other in range(n_devices):
                    if not space.legal[successor, other]:
                        continue
                    way = table[successor, other] + costs.time[successor, other]
                    if other != d:
                        way += costs.latency[d, other] + costs.succ_bytes[edge] * costs.per_byte[d, other]
                    best = min(best, way)
                worst = max(worst, best)
            table[operator, d] = worst
    return table
