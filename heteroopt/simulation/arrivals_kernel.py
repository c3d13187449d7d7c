"""Items that arrive one by one, run through a plan's stages: the same finishes as task by task, with fewer events.

The rules are those of :mod:`heteroopt.simulation.pipeline`. A stage runs in one event unless an older item asks for
its device meanwhile; then it is interrupted where its operator ends, and what is left of it waits again.
"""

from __future__ import annotations

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.pipeline_kernel import heap_pop, heap_push
from heteroopt.simulation.problem import Int64
from heteroopt.simulation.stages import Stages


@kernel
def _sooner(time: Int64, code: Int64, size: int, wanted: int, new_time: int) -> None:
    """Move the entry with the code ``wanted`` of a heap up to an earlier time."""
    i = 0
    while code[i] != wanted:
        i += 1
    while i > 0:
        up = (i - 1) >> 1
        if time[up] < new_time or (time[up] == new_time and code[up] <= wanted):
            break
        time[i], code[i] = time[up], code[up]
        i = up
    time[i], code[i] = new_time, wanted


@kernel
def run_stages(
    stages: Stages, n_devices: int, n_channels: int, alone_ps: int, arrivals: Int64, limit_ps: int, most_late: int,
    finish: Int64,
) -> int:  # fmt: skip
    """Run one item per arrival (ascending); ``finish`` [K] is the result. ``alone_ps``: what one item takes alone.

    An item that finds nothing in flight, and is finished before the next one arrives, is not simulated. Returns how
    many items take longer than ``limit_ps``: as soon as more than ``most_late`` do, with ``finish`` incomplete.
    """
    n_late: int = 0
    queue, end_ptr, end_ps = stages.queue, stages.end_ptr, stages.end_ps
    n_before, next_ptr, next_stage = stages.n_before, stages.next_ptr, stages.next_stage
    n_items, n_stages, n_queues = arrivals.shape[0], queue.shape[0], n_devices + n_channels
    bits = 1
    while n_stages >> bits:
        bits += 1
    mask = (1 << bits) - 1
    # What runs in each queue: its code (-1: nothing), when this piece of it started, what of it was done before, and
    # at what end of an operator it stops.
    running = np.full(n_queues, -1, np.int64)
    started = np.zeros(n_queues, np.int64)
    behind = np.zeros(n_queues, np.int64)
    stop_at = np.zeros(n_queues, np.int64)
    event_time = np.empty(n_queues + 1, np.int64)
    event_code = np.empty(n_queues + 1, np.int64)
    n_events = 0
    # Device queues are heaps by item; the channels' are rings in the order of requests.
    wait_code = np.empty((n_queues, n_items), np.int64)
    wait_time = np.empty((n_queues, n_items), np.int64)
    wait_first = np.zeros(n_queues, np.int64)
    wait_count = np.zeros(n_queues, np.int64)
    touched = np.empty(n_queues, np.int32)
    is_touched = np.zeros(n_queues, np.bool_)
    n_touched = 0
    # An item in flight has a row, which the next one takes over.
    before = np.empty((n_items, n_stages), np.int32)
    offset = np.zeros((n_items, n_devices), np.int64)
    left = np.empty(n_items, np.int64)
    row_of = np.empty(n_items, np.int64)
    free_row = np.arange(n_items - 1, -1, -1)
    n_free = n_items
    asked = np.empty(n_stages, np.int64)
    arrived = 0

    while arrived < n_items or n_events > 0:
        if n_events == 0:
            if arrived + 1 == n_items or arrivals[arrived + 1] >= arrivals[arrived] + alone_ps:
                finish[arrived] = arrivals[arrived] + alone_ps
                arrived += 1
                n_late += alone_ps > limit_ps
                if n_late > most_late:
                    return n_late
                continue
            now = arrivals[arrived]
        else:
            now = event_time[0]
            if arrived < n_items and arrivals[arrived] < now:
                now = arrivals[arrived]
        # First all that ends or arrives now, and what it lets begin.
        while True:
            n_asked = 0
            item = 0
            if n_events > 0 and event_time[0] == now:
                code = event_code[0]
                heap_pop(event_time, event_code, n_events)
                n_events -= 1
                item, stage = code >> bits, code & mask
                row, line = row_of[item], queue[stage]
                running[line] = -1
                if not is_touched[line]:
                    is_touched[line] = True
                    touched[n_touched] = line
                    n_touched += 1
                if stop_at[line] < end_ps[end_ptr[stage + 1] - 1]:
                    offset[row, line] = stop_at[line]
                    heap_push(wait_code[line], wait_time[line], wait_count[line], code, now)
                    wait_count[line] += 1
                    continue
                if line < n_devices:
                    offset[row, line] = 0
                for k in range(next_ptr[stage], next_ptr[stage + 1]):
                    ready = next_stage[k]
                    before[row, ready] -= 1
                    if before[row, ready] == 0:
                        asked[n_asked] = ready
                        n_asked += 1
                left[row] -= 1
                if left[row] == 0:
                    finish[item] = now
                    n_late += now - arrivals[item] > limit_ps
                    if n_late > most_late:
                        return n_late
                    free_row[n_free] = row
                    n_free += 1
            elif arrived < n_items and arrivals[arrived] == now:
                item = arrived
                arrived += 1
                n_free -= 1
                row = free_row[n_free]
                row_of[item] = row
                left[row] = n_stages
                for stage in range(n_stages):
                    before[row, stage] = n_before[stage]
                    if n_before[stage] == 0:
                        asked[n_asked] = stage
                        n_asked += 1
            else:
                break
            for k in range(n_asked):
                code = (item << bits) | asked[k]
                line = queue[asked[k]]
                if line < n_devices:
                    heap_push(wait_code[line], wait_time[line], wait_count[line], code, now)
                    wait_count[line] += 1
                    held = running[line]
                    if held >= 0 and held >> bits > item:
                        # Younger: it goes on to the end of its operator.
                        young = held & mask
                        run = now - started[line] + behind[line]
                        low, high = end_ptr[young], end_ptr[young + 1] - 1
                        while low < high:
                            middle = (low + high) >> 1
                            if end_ps[middle] >= run:
                                high = middle
                            else:
                                low = middle + 1
                        if end_ps[low] < stop_at[line]:
                            stop_at[line] = end_ps[low]
                            _sooner(event_time, event_code, n_events, held, started[line] + end_ps[low] - behind[line])
                else:
                    at = wait_count[line]
                    while at > 0:
                        slot = (wait_first[line] + at - 1) % n_items
                        if wait_time[line, slot] < now or wait_code[line, slot] < code:
                            break
                        to = (slot + 1) % n_items
                        wait_time[line, to], wait_code[line, to] = wait_time[line, slot], wait_code[line, slot]
                        at -= 1
                    slot = (wait_first[line] + at) % n_items
                    wait_time[line, slot], wait_code[line, slot] = now, code
                    wait_count[line] += 1
                if not is_touched[line]:
                    is_touched[line] = True
                    touched[n_touched] = line
                    n_touched += 1
        # Then what is free takes its next one.
        for k in range(n_touched):
            line = touched[k]
            is_touched[line] = False
            if running[line] >= 0 or wait_count[line] == 0:
                continue
            if line < n_devices:
                code = wait_code[line, 0]
                heap_pop(wait_code[line], wait_time[line], wait_count[line])
                behind[line] = offset[row_of[code >> bits], line]
            else:
                code = wait_code[line, wait_first[line]]
                wait_first[line] = (wait_first[line] + 1) % n_items
            wait_count[line] -= 1
            running[line], started[line] = code, now
            stage = code & mask
            stop_at[line] = end_ps[end_ptr[stage + 1] - 1]
            heap_push(event_time, event_code, n_events, now + stop_at[line] - behind[line], code)
            n_events += 1
        n_touched = 0
    return n_late
