"""The order that list scheduling gives a placement: operators with the longest way to the end go first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.genome import priority_order
from heteroopt.search.links import Costs

Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


@kernel
def ranked_order(costs: Costs, device: Int32, key: Float64, order: Int32) -> None:
    """Replace ``order`` [n], topological, by the one of falling bottom levels on the devices given.

    The bottom level is an operator's time on its device plus the costliest way to the end, transfers included and
    never waiting. ``key`` [n] is scratch.
    """
    space, time, latency, per_byte, succ_bytes = (
        costs.space, costs.time, costs.latency, costs.per_byte, costs.succ_bytes,
    )  # fmt: skip
    succ_ptr, succ_idx = space.succ_ptr, space.succ_idx
    for place in range(len(order) - 1, -1, -1):
        operator = order[place]
        here = device[operator]
        tail = 0.0
        for edge in range(succ_ptr[operator], succ_ptr[operator + 1]):
            successor = succ_idx[edge]
            way = -key[successor]
            there = device[successor]
            if there != here:
                way += latency[here, there] + succ_bytes[edge] * per_byte[here, there]
            tail = max(tail, way)
        key[operator] = -(time[operator, here] + tail)
    priority_order(space, key, order)
