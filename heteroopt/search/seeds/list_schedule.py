"""HEFT and PEFT: in priority order, each operator to the device and the gap where it would finish first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import kernel
from heteroopt.search.links import Costs

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


@kernel
def arrival(costs: Costs, operator: int, target: int, finish: Float64, device: Int32) -> float:
    """Return when all inputs of the operator could be on ``target``, links never busy, in ps."""
    space = costs.space
    ready = 0.0
    if costs.host >= 0 and costs.host != target and costs.input_bytes[operator] > 0:
        ready = costs.latency[costs.host, target] + costs.input_bytes[operator] * costs.per_byte[costs.host, target]
    for edge in range(space.pred_ptr[operator], space.pred_ptr[operator + 1]):
        producer = space.pred_idx[edge]
        source = device[producer]
        there = finish[producer]
        if source != target:
            there += costs.latency[source, target] + costs.pred_bytes[edge] * costs.per_byte[source, target]
        ready = max(ready, there)
    return ready


@kernel
def usable(costs: Costs, operator: int, target: int, allowed: Bool, chosen: Int32) -> bool:
    """Whether the operator may go to ``target``: legal, in the subset where the subset has any, its group's choice."""
    space = costs.space
    if not space.legal[operator, target]:
        return False
    group = space.group[operator]
    if group >= 0 and chosen[group] >= 0:
        return bool(chosen[group] == target)
    if allowed[target]:
        return True
    for position in range(space.choice_ptr[operator], space.choice_ptr[operator + 1]):
        if allowed[space.choice_idx[position]]:
            return False
    return True


@kernel
def insertion_schedule(
    costs: Costs, priority: Int32, lookahead: Float64, weight: float, allowed: Bool, device: Int32, start: Float64
) -> None:
    """Fill ``device`` [n] and ``start`` [n] (ps) by earliest finish with insertion into gaps.

    ``priority`` is a topological order; ``lookahead`` [n, D] times ``weight`` is added to the finish when devices
    are compared (weight 0 = HEFT's rule, 1 with the optimistic cost table = PEFT's). ``allowed`` [D]: devices to
    use where an operator has one of them; without any it may take each of its legal devices.
    """
    n, n_devices = costs.time.shape
    finish = np.zeros(n)
    slot_start = np.empty((n_devices, n))
    slot_finish = np.empty((n_devices, n))
    slots = np.zeros(n_devices, np.int64)
    chosen = np.full(len(costs.space.member_ptr), -1, np.int32)
    for place in range(n):
        operator = priority[place]
        best, best_score, best_start, best_slot = -1, np.inf, 0.0, 0
        for d in range(n_devices):
            if not usable(costs, operator, d, allowed, chosen):
                continue
            ready = arrival(costs, operator, d, finish, device)
            duration = costs.time[operator, d]
            low, high = 0, slots[d]
            while low < high:
                middle = (low + high) >> 1
                if slot_finish[d, middle] <= ready:
                    low = middle + 1
                else:
                    high = middle
            begin = ready
            slot = low
            while slot < slots[d] and slot_start[d, slot] - begin < duration:
                begin = max(begin, slot_finish[d, slot])
                slot += 1
            score = begin + duration + weight * lookahead[operator, d]
            if score < best_score:
                best, best_score, best_start, best_slot = d, score, begin, slot
        for slot in range(slots[best], best_slot, -1):
            slot_start[best, slot] = slot_start[best, slot - 1]
            slot_finish[best, slot] = slot_finish[best, slot - 1]
        end = best_start + costs.time[operator, best]
        slot_start[best, best_slot] = best_start
        slot_finish[best, best_slot] = end
        slots[best] += 1
        device[operator] = best
        start[operator] = best_start
        finish[operator] = end
        group = costs.space.group[operator]
        if group >= 0:
            chosen[group] = best
