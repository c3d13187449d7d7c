"""The compiled pipeline: items in flight through one plan's tasks, equal to the reference pipeline.

The rules are written down in :mod:`heteroopt.simulation.pipeline`; the comments here say how they are made fast.
"""

from __future__ import annotations

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.flow import Flow
from heteroopt.simulation.problem import Int64, ProblemArrays
from heteroopt.simulation.sharing import SHARES_CUBED, SPEED_UNIT

NEVER = 1 << 62


@kernel
def heap_push(time: Int64, code: Int64, size: int, new_time: int, new_code: int) -> None:
    """Add to a binary heap of ``size`` entries ordered by time, then code."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if time[up] < new_time or (time[up] == new_time and code[up] <= new_code):
            break
        time[i], code[i] = time[up], code[up]
        i = up
    time[i], code[i] = new_time, new_code


@kernel
def heap_pop(time: Int64, code: Int64, size: int) -> None:
    """Remove the first of ``size`` entries of such a heap."""
    last_time, last_code = time[size - 1], code[size - 1]
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (time[other] < time[child] or (time[other] == time[child] and code[other] < code[child])):
            child = other
        if last_time < time[child] or (last_time == time[child] and last_code <= code[child]):
            break
        time[i], code[i] = time[child], code[child]
        i = child
    if size > 0:
        time[i], code[i] = last_time, last_code


@kernel
def run_flow(
    p: ProblemArrays,
    flow: Flow,
    arrivals: Int64,
    with_memory: bool,
    finish: Int64,
    peak: Int64,
) -> None:
    """Run one item per arrival (ascending); ``finish`` [K] and ``peak`` [M] (activations alone) are results.

    A task of an item is one number, ``item << bits | task``, so that of two the smaller one is the older item's. An
    item in flight has a row of counters, which the next one takes over: memory grows with the items in flight only.
    """
    duration, queue, device_a, device_b = flow.duration_ps, flow.queue, flow.device_a, flow.device_b
    n_devices, n_channels, blocking = p.op_time_ps.shape[1], p.n_channels, p.blocking_transfers
    share, store_memory, memory_excess = flow.share, p.store_memory, p.memory_excess
    n_before, next_ptr, next_task = flow.n_before, flow.next_ptr, flow.next_task
    hold_size, hold_memory, hold_users, hold_stays = (
        flow.hold_size_bytes, flow.hold_memory, flow.hold_users, flow.hold_stays,
    )  # fmt: skip
    start_ptr, start_hold, end_ptr, end_hold = flow.start_ptr, flow.start_hold, flow.end_ptr, flow.end_hold
    n_items, n_tasks, n_holds = arrivals.shape[0], duration.shape[0], hold_size.shape[0]
    n_queues = 2 * n_devices + n_channels
    bits = 1
    while n_tasks >> bits:
        bits += 1
    mask = (1 << bits) - 1

    n_unqueued = 0
    for k in range(1, n_tasks):
        if queue[k] < 0:
            n_unqueued += 1
    event_limit = n_items * n_unqueued + n_queues + 1
    event_time = np.empty(event_limit, np.int64)
    event_code = np.empty(event_limit, np.int64)
    n_events = 0
    ended = np.empty(event_limit + 1, np.int64)
    # An item has at most one request in a queue. Device queues are heaps by item; the others rings in the order of
    # requests, which come in the order of time.
    wait_time = np.empty((n_queues, n_items), np.int64)
    wait_code = np.empty((n_queues, n_items), np.int64)
    wait_first = np.zeros(n_queues, np.int64)
    wait_count = np.zeros(n_queues, np.int64)
    busy = np.zeros(n_queues, np.bool_)
    touched = np.empty(n_queues, np.int32)
    is_touched = np.zeros(n_queues, np.bool_)
    n_touched = 0
    before = np.empty((n_items, n_tasks), np.int32)
    left = np.empty(n_items, np.int64)
    row_of = np.empty(n_items, np.int64)
    free_row = np.arange(n_items - 1, -1, -1)
    n_free = n_items
    users = np.empty((n_items if with_memory else 0, n_holds), np.int32)
    usage = np.zeros(peak.shape[0], np.int64)
    peak[:] = 0
    arrived = 0
    # Of operators that can be slowed each device has one: it is no event, since its end moves while others overlap.
    slowed = np.full(n_devices if p.contends else 0, -1)
    slowed_end, slowed_speed = np.zeros((2, len(slowed)), np.int64)
    slowed_left = np.full(len(slowed), NEVER)
    pressure = np.zeros(len(memory_excess), np.int64)
    n_slowed, since = 0, 0

    while arrived < n_items or n_events > 0 or n_slowed > 0:
        now = NEVER
        if n_events > 0:
            now = event_time[0]
        if arrived < n_items and arrivals[arrived] < now:
            now = arrivals[arrived]
        if n_slowed > 0:
            for d in range(n_devices):
                if slowed[d] >= 0:
                    now = min(now, slowed_end[d])
            for d in range(n_devices):
                if slowed[d] >= 0:
                    slowed_left[d] -= (now - since) * slowed_speed[d]
        since = now
        n_ended = 0
        while True:
            if n_ended > 0:
                n_ended -= 1
                code = ended[n_ended]
            elif n_events > 0 and event_time[0] == now:
                code = event_code[0]
                heap_pop(event_time, event_code, n_events)
                n_events -= 1
            elif n_slowed > 0 and slowed_left.min() <= 0:
                ending = slowed_left.argmin()
                code = slowed[ending]
                slowed[ending] = -1
                slowed_left[ending] = NEVER
                n_slowed -= 1
            elif arrived < n_items and arrivals[arrived] == now:
                code = arrived << bits
                arrived += 1
                n_free -= 1
                row = free_row[n_free]
                row_of[code >> bits] = row
                left[row] = n_tasks
                for k in range(n_tasks):
                    before[row, k] = n_before[k]
                if with_memory:
                    for k in range(n_holds):
                        users[row, k] = hold_users[k]
                    for k in range(start_ptr[0], start_ptr[1]):
                        usage[hold_memory[start_hold[k]]] += hold_size[start_hold[k]]
            else:
                break
            item, task = code >> bits, code & mask
            row = row_of[item]
            # Free what it occupied.
            for which in range(3):
                resource = queue[task] if which == 0 else device_a[task] if which == 1 else device_b[task]
                if resource >= 0:
                    busy[resource] = False
                    if not is_touched[resource]:
                        is_touched[resource] = True
                        touched[n_touched] = resource
                        n_touched += 1
            if with_memory:
                for k in range(end_ptr[task], end_ptr[task + 1]):
                    hold = end_hold[k]
                    users[row, hold] -= 1
                    if users[row, hold] == 0:
                        usage[hold_memory[hold]] -= hold_size[hold]
            # Request what it was the last to hold up.
            for k in range(next_ptr[task], next_ptr[task + 1]):
                ready = next_task[k]
                before[row, ready] -= 1
                if before[row, ready] > 0:
                    continue
                line = queue[ready]
                ready_code = (item << bits) | ready
                if line < 0:
                    if with_memory:
                        for j in range(start_ptr[ready], start_ptr[ready + 1]):
                            usage[hold_memory[start_hold[j]]] += hold_size[start_hold[j]]
                    if duration[ready] == 0:
                        ended[n_ended] = ready_code
                        n_ended += 1
                    else:
                        heap_push(event_time, event_code, n_events, now + duration[ready], ready_code)
                        n_events += 1
                    continue
                if line < n_devices:
                    heap_push(wait_code[line], wait_time[line], wait_count[line], ready_code, now)
                else:
                    at = wait_count[line]
                    while at > 0:
                        slot = (wait_first[line] + at - 1) % n_items
                        if wait_time[line, slot] < now or wait_code[line, slot] < ready_code:
                            break
                        to = (slot + 1) % n_items
                        wait_time[line, to], wait_code[line, to] = wait_time[line, slot], wait_code[line, slot]
                        at -= 1
                    slot = (wait_first[line] + at) % n_items
                    wait_time[line, slot], wait_code[line, slot] = now, ready_code
                wait_count[line] += 1
                if not is_touched[line]:
                    is_touched[line] = True
                    touched[n_touched] = line
                    n_touched += 1
            left[row] -= 1
            if left[row] == 0:
                finish[item] = now
                if with_memory:
                    for hold in range(n_holds):
                        if hold_stays[hold]:
                            usage[hold_memory[hold]] -= hold_size[hold]
                free_row[n_free] = row
                n_free += 1

        # Start what can: without blocking every queue for itself, with blocking the transfers first, by request.
        at = 0
        while True:
            line = -1
            if blocking:
                for other in range(n_devices, n_queues):
                    if wait_count[other] == 0 or busy[other]:
                        continue
                    slot = wait_first[other]
                    task = wait_code[other, slot] & mask
                    if (device_a[task] >= 0 and busy[device_a[task]]) or (device_b[task] >= 0 and busy[device_b[task]]):
                        continue
                    if line >= 0:
                        best = wait_first[line]
                        if wait_time[other, slot] > wait_time[line, best] or (
                            wait_time[other, slot] == wait_time[line, best]
                            and wait_code[other, slot] > wait_code[line, best]
                        ):
                            continue
                    line = other
            while line < 0 and at < n_touched:
                other = touched[at]
                at += 1
                is_touched[other] = False
                if wait_count[other] > 0 and not busy[other] and (other < n_devices or not blocking):
                    line = other
            if line < 0:
                break
            if line < n_devices:
                code = wait_code[line, 0]
                heap_pop(wait_code[line], wait_time[line], wait_count[line])
            else:
                code = wait_code[line, wait_first[line]]
                wait_first[line] = (wait_first[line] + 1) % n_items
            wait_count[line] -= 1
            task = code & mask
            busy[line] = True
            if device_a[task] >= 0:
                busy[device_a[task]] = True
            if device_b[task] >= 0:
                busy[device_b[task]] = True
            if with_memory:
                for k in range(start_ptr[task], start_ptr[task + 1]):
                    usage[hold_memory[start_hold[k]]] += hold_size[start_hold[k]]
            if share[task] > 0 and duration[task] > 0:
                slowed[line] = code
                slowed_left[line] = duration[task] * SPEED_UNIT
                n_slowed += 1
            else:
                heap_push(event_time, event_code, n_events, now + duration[task], code)
                n_events += 1
        n_touched = 0
        if n_slowed > 0:
            pressure[:] = 0
            for d in range(n_devices):
                if slowed[d] >= 0:
                    pressure[store_memory[d]] += share[slowed[d] & mask]
            for d in range(n_devices):
                if slowed[d] >= 0:
                    domain, own = store_memory[d], share[slowed[d] & mask]
                    by = own * (pressure[domain] - own) * memory_excess[domain]
                    slowed_speed[d] = SPEED_UNIT * SHARES_CUBED // (SHARES_CUBED + by)
                    slowed_end[d] = now + (slowed_left[d] + slowed_speed[d] - 1) // slowed_speed[d]
        if with_memory and (n_events == 0 or event_time[0] > now) and (arrived == n_items or arrivals[arrived] > now):
            for memory in range(peak.shape[0]):
                peak[memory] = max(peak[memory], usage[memory])
