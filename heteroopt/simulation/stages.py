"""A plan's tasks joined into stages: operators that a device runs one after the other unless an older item comes.

A task waits for no more than the last task before it in each queue, since a queue keeps the plan's order within an
item. Where that is the task before it on its own device alone, and nothing else waits for that one, the two are one
stage: the second can start when the first ends. An older item may still go first between two operators, so a stage
keeps the times at which its operators end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.flow import Flow
from heteroopt.simulation.problem import Int32, Int64


class Stages(NamedTuple):
    """S stages in the order of the plan. ``usable``: false where a task of the flow has to be simulated by itself."""

    usable: bool
    queue: Int32
    """[S] device, or ``n_devices`` + channel."""
    end_ptr: Int32
    end_ps: Int64
    """When each operator of a stage ends, counted from the stage's start."""
    n_before: Int32
    """[S] stages to end before it; 0: it waits for the item's arrival alone."""
    next_ptr: Int32
    next_stage: Int32
    """Stages that wait for each one's end."""


@kernel
def is_plain(flow: Flow, blocking: bool) -> bool:
    """Whether what waits in a queue takes time, always the same, what does not wait takes none, and transfers occupy no
    device.
    """
    strange = int(blocking)
    for task in range(1, flow.duration_ps.shape[0]):
        strange += (flow.queue[task] >= 0) != (flow.duration_ps[task] > 0)
        strange += flow.share[task] > 0
    return strange == 0


@kernel
def make_stages(flow: Flow, n_devices: int, n_channels: int, blocking: bool) -> Stages:
    """Join the tasks of a flow."""
    n_tasks = flow.duration_ps.shape[0]
    n_queues = n_devices + n_channels
    none = np.zeros(1, np.int32)
    if not is_plain(flow, blocking):
        return Stages(False, none, none, np.zeros(1, np.int64), none, none, none)
    # Queues in use, and each one's tasks in their order.
    number = np.full(n_queues, -1, np.int32)
    length = np.zeros(n_queues, np.int32)
    n_used = 0
    for task in range(1, n_tasks):
        queue = flow.queue[task]
        if queue >= 0:
            if length[queue] == 0:
                number[queue] = n_used
                n_used += 1
            length[queue] += 1
    first = np.zeros(n_used + 1, np.int32)
    for queue in range(n_queues):
        if number[queue] >= 0:
            first[number[queue] + 1] = length[queue]
    for k in range(n_used):
        first[k + 1] += first[k]
    at = np.zeros(first[n_used], np.int32)
    place = np.zeros(n_tasks, np.int32)
    filled = np.zeros(n_used, np.int32)
    # Per task and queue how many of the queue's tasks are done for sure once the task has ended (before: may start).
    done = np.zeros((n_tasks, n_used), np.int32)
    edge_from = np.empty(n_tasks * n_used, np.int32)
    edge_to = np.empty(n_tasks * n_used, np.int32)
    n_edges = 0
    n_after = np.zeros(n_tasks, np.int32)
    for task in range(1, n_tasks):
        queue = flow.queue[task]
        if queue >= 0:
            for k in range(n_used):
                if done[task, k] == 0:
                    continue
                last = at[first[k] + done[task, k] - 1]
                needed = True
                for j in range(n_used):
                    if j != k and done[task, j] > 0 and done[at[first[j] + done[task, j] - 1], k] >= done[task, k]:
                        needed = False
                        break
                if needed:
                    edge_from[n_edges], edge_to[n_edges] = last, task
                    n_edges += 1
                    n_after[last] += 1
            own = number[queue]
            at[first[own] + filled[own]] = task
            filled[own] += 1
            place[task] = filled[own]
            done[task, own] = filled[own]
        for e in range(flow.next_ptr[task], flow.next_ptr[task + 1]):
            waiter = flow.next_task[e]
            for k in range(n_used):
                if done[task, k] > done[waiter, k]:
                    done[waiter, k] = done[task, k]

    stage_of = np.full(n_tasks, -1, np.int32)
    end_ps = np.empty(n_tasks, np.int64)
    end_ptr = np.zeros(n_tasks + 1, np.int32)
    stage_queue = np.empty(n_tasks, np.int32)
    # First count the tasks of each stage, then place their ends: a stage's operators need not follow one another.
    size = np.zeros(n_tasks, np.int32)
    n_stages = 0
    edge = 0
    for task in range(1, n_tasks):
        queue = flow.queue[task]
        if queue < 0:
            continue
        begin = edge
        while edge < n_edges and edge_to[edge] == task:
            edge += 1
        joins = False
        if queue < n_devices and edge - begin == 1:
            before = edge_from[begin]
            joins = flow.queue[before] == queue and n_after[before] == 1
        if joins:
            stage_of[task] = stage_of[edge_from[begin]]
        else:
            stage_of[task] = n_stages
            stage_queue[n_stages] = queue
            n_stages += 1
        size[stage_of[task]] += 1
    for stage in range(n_stages):
        end_ptr[stage + 1] = end_ptr[stage] + size[stage]
        size[stage] = 0
    for task in range(1, n_tasks):
        stage = stage_of[task]
        if stage >= 0:
            where = end_ptr[stage] + size[stage]
            end_ps[where] = flow.duration_ps[task] + (end_ps[where - 1] if size[stage] > 0 else 0)
            size[stage] += 1

    n_before = np.zeros(n_stages, np.int32)
    next_ptr = np.zeros(n_stages + 1, np.int32)
    for e in range(n_edges):
        source, target = stage_of[edge_from[e]], stage_of[edge_to[e]]
        if source != target:
            n_before[target] += 1
            next_ptr[source + 1] += 1
    for stage in range(n_stages):
        next_ptr[stage + 1] += next_ptr[stage]
    next_stage = np.empty(next_ptr[n_stages], np.int32)
    put = next_ptr[:n_stages].copy()
    for e in range(n_edges):
        source, target = stage_of[edge_from[e]], stage_of[edge_to[e]]
        if source != target:
            next_stage[put[source]] = target
            put[source] += 1
    return Stages(
        True, stage_queue[:n_stages].copy(), end_ptr[: n_stages + 1].copy(), end_ps[: end_ptr[n_stages]].copy(),
        n_before, next_ptr, next_stage,
    )  # fmt: skip
