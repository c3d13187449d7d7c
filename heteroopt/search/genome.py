"""Genomes: a topological permutation and a legal device per operator, and kernels that make them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.random_bits import UInt64, below
from heteroopt.search.space import Space, assign

Int32 = NDArray[np.int32]
Float64 = NDArray[np.float64]


@kernel
def random_order(space: Space, state: UInt64, order: Int32) -> None:
    """Fill ``order`` with a topological order: each place takes a random one of the operators that are ready."""
    n = len(order)
    waiting = np.empty(n, np.int32)
    ready = np.empty(n, np.int32)
    count = 0
    for operator in range(n):
        waiting[operator] = space.pred_ptr[operator + 1] - space.pred_ptr[operator]
        if waiting[operator] == 0:
            ready[count] = operator
            count += 1
    for place in range(n):
        pick = below(state, count)
        operator = ready[pick]
        count -= 1
        ready[pick] = ready[count]
        order[place] = operator
        for edge in range(space.succ_ptr[operator], space.succ_ptr[operator + 1]):
            successor = space.succ_idx[edge]
            waiting[successor] -= 1
            if waiting[successor] == 0:
                ready[count] = successor
                count += 1


@kernel
def random_devices(space: Space, state: UInt64, device: Int32) -> None:
    """Fill ``device`` with a random legal device per operator, one per group."""
    for operator in range(len(device)):
        first = space.choice_ptr[operator]
        pick = below(state, space.choice_ptr[operator + 1] - first)
        assign(space, device, operator, space.choice_idx[first + pick])


@kernel
def priority_order(space: Space, keys: Float64, order: Int32) -> None:
    """Fill ``order``: at each place the ready operator with the least key, ties by index (a binary heap)."""
    n = len(order)
    waiting = np.empty(n, np.int32)
    heap = np.empty(n, np.int32)
    count = 0
    for operator in range(n):
        waiting[operator] = space.pred_ptr[operator + 1] - space.pred_ptr[operator]
        if waiting[operator] == 0:
            count = push(heap, count, keys, operator)
    for place in range(n):
        operator = heap[0]
        count -= 1
        if count > 0:
            sink(heap, count, keys, heap[count])
        order[place] = operator
        for edge in range(space.succ_ptr[operator], space.succ_ptr[operator + 1]):
            successor = space.succ_idx[edge]
            waiting[successor] -= 1
            if waiting[successor] == 0:
                count = push(heap, count, keys, successor)


@kernel
def _before(keys: Float64, first: int, second: int) -> bool:
    return bool(keys[first] < keys[second] or (keys[first] == keys[second] and first < second))


@kernel
def push(heap: Int32, count: int, keys: Float64, operator: int) -> int:
    """Add an operator to a heap of ``count`` with the least key on top; return the new count."""
    slot = count
    while slot > 0:
        parent = (slot - 1) >> 1
        if not _before(keys, operator, heap[parent]):
            break
        heap[slot] = heap[parent]
        slot = parent
    heap[slot] = operator
    return count + 1


@kernel
def sink(heap: Int32, count: int, keys: Float64, operator: int) -> None:
    """Replace the top of a heap of ``count`` by an operator."""
    slot = 0
    while True:
        child = 2 * slot + 1
        if child >= count:
            break
        if child + 1 < count and _before(keys, heap[child + 1], heap[child]):
            child += 1
        if not _before(keys, heap[child], operator):
            break
        heap[slot] = heap[child]
        slot = child
    heap[slot] = operator
