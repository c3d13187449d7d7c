"""Topological orders: the canonical one of a problem, and the check that an order is one."""

from __future__ import annotations

import heapq

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.problem import Bool, Int32, Problem


def canonical_order(problem: Problem) -> Int32:
    """int32[n]: always the ready operator with the lowest index next (Kahn)."""
    n = problem.n_operators
    if (problem.pred_idx < np.repeat(np.arange(n), np.diff(problem.pred_ptr))).all():
        return np.arange(n, dtype=np.int32)
    waiting = np.diff(problem.pred_ptr).tolist()
    ready = [i for i, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        operator = heapq.heappop(ready)
        order.append(operator)
        for successor in problem.succ_idx[problem.succ_ptr[operator] : problem.succ_ptr[operator + 1]].tolist():
            waiting[successor] -= 1
            if waiting[successor] == 0:
                heapq.heappush(ready, successor)
    return np.array(order, np.int32)


@kernel
def is_topological(order: Int32, pred_ptr: Int32, pred_idx: Int32, seen: Bool) -> bool:
    """Whether ``order`` int32[n] holds every operator once, each after its predecessors.

    ``seen`` bool[n] is scratch. Compiled, without allocation, callable from other kernels.
    """
    n = pred_ptr.shape[0] - 1
    if order.shape[0] != n:
        return False
    seen[:] = False
    for position in range(n):
        operator = order[position]
        if operator < 0 or operator >= n or seen[operator]:
            return False
        for k in range(pred_ptr[operator], pred_ptr[operator + 1]):
            if not seen[pred_idx[k]]:
                return False
        seen[operator] = True
    return True
