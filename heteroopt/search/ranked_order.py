"""The order that list scheduling gives a placement: operators with the longest way to the end go first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.gates import Sections
from heteroopt.search.genome import priority_order, push, sink
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


@kernel
def ranked_section(
    costs: Costs, sections: Sections, number: int, device: Int32, key: Float64, waiting: Int32, heap: Int32,
    order: Int32,
) -> None:  # fmt: skip
    """As ``ranked_order`` for the places of one section; ``key``, ``waiting`` and ``heap`` [n] are scratch."""
    space, time, latency, per_byte, succ_bytes = (
        costs.space, costs.time, costs.latency, costs.per_byte, costs.succ_bytes,
    )  # fmt: skip
    succ_ptr, succ_idx, pred_ptr, pred_idx, of = (
        space.succ_ptr, space.succ_idx, space.pred_ptr, space.pred_idx, sections.of,
    )  # fmt: skip
    begin, end = sections.first[number], sections.first[number + 1]
    if end - begin < 3:
        return
    for place in range(end - 1, begin - 1, -1):
        operator = order[place]
        here = device[operator]
        tail = 0.0
        for edge in range(succ_ptr[operator], succ_ptr[operator + 1]):
            successor = succ_idx[edge]
            if of[successor] != number:
                continue
            way = -key[successor]
            there = device[successor]
            if there != here:
                way += latency[here, there] + succ_bytes[edge] * per_byte[here, there]
            tail = max(tail, way)
        key[operator] = -(time[operator, here] + tail)
    count = 0
    for place in range(begin, end):
        operator = order[place]
        waiting[operator] = 0
        for edge in range(pred_ptr[operator], pred_ptr[operator + 1]):
            waiting[operator] += of[pred_idx[edge]] == number
        if waiting[operator] == 0:
            count = push(heap, count, key, operator)
    for place in range(begin, end):
        operator = heap[0]
        count -= 1
        if count > 0:
            sink(heap, count, key, heap[count])
        order[place] = operator
        for edge in range(succ_ptr[operator], succ_ptr[operator + 1]):
            successor = succ_idx[edge]
            if of[successor] == number:
                waiting[successor] -= 1
                if waiting[successor] == 0:
                    count = push(heap, count, key, successor)
