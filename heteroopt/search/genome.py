"""Genomes: a topological permutation and a legal device per operator; making them and making them legal."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.random_bits import UInt64, below
from heteroopt.search.space import Space, assign

Int32 = NDArray[np.int32]
Float64 = NDArray[np.float64]


def legalised(space: Space, order: ArrayLike, device: ArrayLike) -> tuple[Int32, Int32]:
    """Return the closest legal genome: illegal devices become the fastest legal one, the order a topological one.

    Operators come in the given order as far as precedence allows (the earliest ready one first); operators that
    the order does not name come last. Used to inherit plans whose pool or weights have changed (R20).
    """
    n, n_devices = space.legal.shape
    keys = np.full(n, float(n))
    for place, operator in enumerate(np.asarray(order).tolist()):
        if 0 <= operator < n and keys[operator] == n:
            keys[operator] = place
    result_order = np.empty(n, np.int32)
    priority_order(space, keys, result_order)
    result_device = space.fastest.copy()
    for operator, target in enumerate(np.asarray(device).tolist()[:n]):
        if 0 <= target < n_devices:
            assign(space, result_device, operator, int(target))
    return result_order, result_device


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
            count = _push(heap, count, keys, operator)
    for place in range(n):
        operator = heap[0]
        count -= 1
        if count > 0:
            _sink(heap, count, keys, heap[count])
        order[place] = operator
        for edge in range(space.succ_ptr[operator], space.succ_ptr[operator + 1]):
            successor = space.succ_idx[edge]
            waiting[successor] -= 1
            if waiting[successor] == 0:
                count = _push(heap, count, keys, successor)


@kernel
def _before(keys: Float64, first: int, second: int) -> bool:
    return bool(keys[first] < keys[second] or (keys[first] == keys[second] and first < second))


@kernel
def _push(heap: Int32, count: int, keys: Float64, operator: int) -> int:
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
def _sink(heap: Int32, count: int, keys: Float64, operator: int) -> None:
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
