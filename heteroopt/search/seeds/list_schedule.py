"""HEFT and PEFT: in priority order, each operator to the device and the gap where it would finish first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heteroopt.search.compiled import inlined, kernel
from heteroopt.search.links import Costs

Bool = NDArray[np.bool_]
Float64 = NDArray[np.float64]
Int32 = NDArray[np.int32]


@inlined
def arrivals(
    operator: int, host: int, input_bytes: Float64, latency: Float64, per_byte: Float64, pred_ptr: Int32,
    pred_idx: Int32, pred_bytes: Float64, finish: Float64, device: Int32, ready: Float64,
) -> None:  # fmt: skip
    """Fill ``ready`` [D]: when all inputs of the operator could be on each device, links never busy, in ps."""
    for target in range(ready.shape[0]):
        ready[target] = 0.0
        if host >= 0 and host != target and input_bytes[operator] > 0:
            ready[target] = latency[host, target] + input_bytes[operator] * per_byte[host, target]
    for edge in range(pred_ptr[operator], pred_ptr[operator + 1]):
        source, there, size = device[pred_idx[edge]], finish[pred_idx[edge]], pred_bytes[edge]
        for target in range(ready.shape[0]):
            way = 0.0 if source == target else latency[source, target] + size * per_byte[source, target]
            ready[target] = max(ready[target], there + way)


@inlined
def usable(operator: int, legal: Bool, group: Int32, allowed: Bool, chosen: Int32, use: Bool) -> None:
    """Fill ``use`` [D]: where the operator may go: legal, its group's choice, in the subset where that has any."""
    which = group[operator]
    bound = chosen[which] if which >= 0 else -1
    free = False
    for target in range(use.shape[0]):
        use[target] = legal[operator, target] and (allowed[target] if bound < 0 else target == bound)
        free = free or use[target]
    if not free:
        for target in range(use.shape[0]):
            use[target] = legal[operator, target]


@kernel
def insertion_schedule(
    costs: Costs, priority: Int32, lookahead: Float64, weight: float, allowed: Bool, device: Int32, start: Float64
) -> None:
    """Fill ``device`` [n] and ``start`` [n] (ps) by earliest finish with insertion into gaps.

    ``priority`` is a topological order; ``lookahead`` [n, D] times ``weight`` is added to the finish when devices
    are compared (weight 0 = HEFT's rule, 1 with the optimistic cost table = PEFT's). ``allowed`` [D]: devices to
    use where an operator has one of them; without any it may take each of its legal devices.
    """
    space, time, host, input_bytes = costs.space, costs.time, costs.host, costs.input_bytes
    latency, per_byte, pred_bytes = costs.latency, costs.per_byte, costs.pred_bytes
    legal, group, pred_ptr, pred_idx = space.legal, space.group, space.pred_ptr, space.pred_idx
    n, n_devices = time.shape
    ready_at, use = np.zeros(n_devices), np.zeros(n_devices, np.bool_)
    finish = np.zeros(n)
    slot_start = np.empty((n_devices, n))
    slot_finish = np.empty((n_devices, n))
    slots = np.zeros(n_devices, np.int64)
    chosen = np.full(len(space.member_ptr), -1, np.int32)
    for place in range(n):
        operator = priority[place]
        best, best_score, best_start, best_slot = -1, np.inf, 0.0, 0
        usable(operator, legal, group, allowed, chosen, use)
        arrivals(
            operator, host, input_bytes, latency, per_byte, pred_ptr, pred_idx, pred_bytes, finish, device, ready_at
        )
        for d in range(n_devices):
            if not use[d]:
                continue
            ready = ready_at[d]
            duration = time[operator, d]
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
        end = best_start + time[operator, best]
        slot_start[best, best_slot] = best_start
        slot_finish[best, best_slot] = end
        slots[best] += 1
        device[operator] = best
        start[operator] = best_start
        finish[operator] = end
        if group[operator] >= 0:
            chosen[group[operator]] = best
