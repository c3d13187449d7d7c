"""Mutations of devices and of the order; each leaves a legal genome legal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.random_bits import UInt64, below, log_uniform_length, uniform
from heteroopt.search.segments import grow_chain, grow_segment
from heteroopt.search.space import Space, assign

Int32 = NDArray[np.int32]

SINGLE, SEGMENT, BOUNDARY, WINDOW, MOVE, SWAP, EVERY_GENE, CHAIN = range(8)
KINDS = 8


@kernel
def random_device(space: Space, operator: int, state: UInt64) -> int:
    """Return a random legal device of the operator."""
    first = space.choice_ptr[operator]
    return int(space.choice_idx[first + below(state, space.choice_ptr[operator + 1] - first)])


@kernel
def other_device(space: Space, operator: int, current: int, state: UInt64) -> int:
    """Return a random legal device of the operator other than ``current``; ``current`` where there is none."""
    first = space.choice_ptr[operator]
    count = space.choice_ptr[operator + 1] - first
    if count < 2:
        return current
    pick = int(space.choice_idx[first + below(state, count - 1)])
    return pick if pick != current else int(space.choice_idx[first + count - 1])


@kernel
def move_in_window(space: Space, order: Int32, state: UInt64, position: Int32) -> None:
    """Move a random operator to a random place between its last predecessor and its first successor."""
    n = len(order)
    for place in range(n):
        position[order[place]] = place
    here = below(state, n)
    operator = order[here]
    low, high = 0, n - 1
    for edge in range(space.pred_ptr[operator], space.pred_ptr[operator + 1]):
        low = max(low, position[space.pred_idx[edge]] + 1)
    for edge in range(space.succ_ptr[operator], space.succ_ptr[operator + 1]):
        high = min(high, position[space.succ_idx[edge]] - 1)
    there = low + below(state, high - low + 1)
    if there < here:
        for place in range(here, there, -1):
            order[place] = order[place - 1]
    else:
        for place in range(here, there):
            order[place] = order[place + 1]
    order[there] = operator


@kernel
def swap_neighbours(space: Space, order: Int32, state: UInt64) -> None:
    """Swap two neighbours in the order unless the second reads the first's output."""
    n = len(order)
    if n < 2:
        return
    place = below(state, n - 1)
    first, second = order[place], order[place + 1]
    for edge in range(space.pred_ptr[second], space.pred_ptr[second + 1]):
        if space.pred_idx[edge] == first:
            return
    order[place], order[place + 1] = second, first


@kernel
def mutate(
    space: Space, kind: int, state: UInt64, mark: Int32, stamp: int, scratch: Int32, order: Int32, device: Int32
) -> None:
    """Apply one mutation.

    SINGLE: one operator to another device. SEGMENT: a connected segment, its length log-uniform up to half the
    graph, to one device. BOUNDARY: an operator takes a neighbour's device. WINDOW: as SEGMENT along the order.
    CHAIN: the unbranched run around an operator, to one other device. MOVE and SWAP change the order. EVERY_GENE:
    each operator has a chance of 1 in n of a random device.
    """
    n = len(order)
    origin = below(state, n)
    if kind == SINGLE:
        assign(space, device, origin, other_device(space, origin, device[origin], state))
    elif kind == SEGMENT:
        size = log_uniform_length(state, max(1, n // 2))
        target = random_device(space, origin, state)
        for position in range(grow_segment(space, origin, size, mark, stamp, scratch)):
            assign(space, device, scratch[position], target)
    elif kind == BOUNDARY:
        preds = space.pred_ptr[origin + 1] - space.pred_ptr[origin]
        succs = space.succ_ptr[origin + 1] - space.succ_ptr[origin]
        if preds + succs > 0:
            pick = below(state, preds + succs)
            if pick < preds:
                neighbour = space.pred_idx[space.pred_ptr[origin] + pick]
            else:
                neighbour = space.succ_idx[space.succ_ptr[origin] + pick - preds]
            assign(space, device, origin, device[neighbour])
    elif kind == WINDOW:
        length = log_uniform_length(state, max(1, n // 2))
        target = random_device(space, order[origin], state)
        for place in range(origin, min(n, origin + length)):
            assign(space, device, order[place], target)
    elif kind == CHAIN:
        target = other_device(space, origin, device[origin], state)
        for position in range(grow_chain(space, origin, scratch)):
            assign(space, device, scratch[position], target)
    elif kind == MOVE:
        move_in_window(space, order, state, scratch)
    elif kind == SWAP:
        swap_neighbours(space, order, state)
    else:
        for operator in range(n):
            if uniform(state) * n < 1.0:
                assign(space, device, operator, random_device(space, operator, state))
