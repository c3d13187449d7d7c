"""Small problems: how many plans there are, and all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.plan_set import PlanSet
from heteroopt.search.space import Space

Int32 = NDArray[np.int32]

MOST_PLANS = 20_000
"""Problems with at most this many genomes are enumerated instead of searched."""

_MOST_OPERATORS = 64


def count_placements(space: Space, limit: int) -> int:
    """Return the number of legal placements, or ``limit + 1`` once it is above ``limit``."""
    total = 1
    for unit in _units(space):
        total *= int(space.legal[unit[0]].sum())
        if total > limit:
            return limit + 1
    return total


def is_settled(space: Space, plans: PlanSet, lower_bound_ps: int, *, contends: bool = False) -> bool:
    """Return whether one placement is legal and one of the plans, which fits, is as fast as any order of it can be.

    That is where its busiest device never waits, or where it meets the lower bound of all plans. Where devices slow
    each other (``contends``) another order may keep that device busy for less, so only the bound counts.
    """
    if count_placements(space, 1) > 1:
        return False
    least = lower_bound_ps if contends else np.maximum(plans.busy_ps.max(axis=1), lower_bound_ps)
    return bool((plans.time_ps <= least)[plans.overflow_bytes == 0].any())


def topological_orders(space: Space, limit: int) -> list[list[int]] | None:
    """Return all topological orders in lexicographic order, or ``None`` if there are more than ``limit``."""
    n = len(space.group)
    successors = [space.succ_idx[space.succ_ptr[i] : space.succ_ptr[i + 1]].tolist() for i in range(n)]
    waiting = np.diff(space.pred_ptr).tolist()
    found: list[list[int]] = []
    order: list[int] = []
    stack: list[list[int]] = [[i for i in range(n) if waiting[i] == 0]]
    while stack:
        if not stack[-1]:
            stack.pop()
            if order:
                undone = order.pop()
                for successor in successors[undone]:
                    waiting[successor] += 1
            continue
        operator = stack[-1].pop(0)
        order.append(operator)
        for successor in successors[operator]:
            waiting[successor] -= 1
        if len(order) == n:
            found.append(list(order))
            if len(found) > limit:
                return None
            stack.append([])
        else:
            placed = set(order)
            stack.append([i for i in range(n) if waiting[i] == 0 and i not in placed])
    return found


def all_genomes(space: Space) -> tuple[Int32, Int32] | None:
    """Return every genome as ``orders``, ``devices`` int32 [k, n], or ``None`` where there are too many.

    Too many: more than ``MOST_PLANS`` genomes or more than 64 operators.
    """
    if len(space.group) > _MOST_OPERATORS:
        return None
    placements = count_placements(space, MOST_PLANS)
    if placements > MOST_PLANS:
        return None
    orders = topological_orders(space, MOST_PLANS // placements)
    if orders is None:
        return None
    units = _units(space)
    rows = np.empty((placements, len(space.group)), np.int32)
    number = np.arange(placements)
    for unit in reversed(units):
        choices = np.flatnonzero(space.legal[unit[0]])
        number, pick = np.divmod(number, len(choices))
        rows[:, unit] = choices[pick][:, None]
    order_rows = np.array(orders, np.int32)
    return np.repeat(order_rows, placements, axis=0), np.tile(rows, (len(order_rows), 1))


def _units(space: Space) -> list[list[int]]:
    """Return what takes one device together: groups, and every other operator alone."""
    n_groups = len(space.member_ptr) - 1
    groups = [space.member_idx[space.member_ptr[g] : space.member_ptr[g + 1]].tolist() for g in range(n_groups)]
    return [members for members in groups if members] + [[int(i)] for i in np.flatnonzero(space.group < 0)]
