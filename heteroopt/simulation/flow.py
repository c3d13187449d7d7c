"""One item's tasks as flat arrays, made from a decoded plan: what the compiled pipeline runs many copies of.

The rules are those of :mod:`heteroopt.simulation.pipeline`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.problem import Bool, Int32, Int64, ProblemArrays
from heteroopt.simulation.scratch import N_TRANSFERS, REQUESTED, REQUESTER, Scratch

NONE = -1


class Flow(NamedTuple):
    """Tasks 1 to N - 1 in the order in which the decoder placed them; task 0 is the item's arrival.

    Queues 0 to D - 1 are the devices', the next ``n_channels`` the channels', the last D those of moves inside a
    memory that block the device they lead to.
    """

    duration_ps: Int64
    """[N]"""
    queue: Int32
    """[N] where it waits for its turn; NONE: it occupies nothing and starts at once."""
    share: Int32
    """[N] of its time that memory takes, per 1,024, where others slow it."""
    device_a: Int32
    device_b: Int32
    """[N] devices that it occupies, NONE for none."""
    n_before: Int32
    """[N] tasks to end before it, counted once per edge."""
    next_ptr: Int32
    next_task: Int32
    """Tasks that wait for each one's end, an edge each."""
    hold_size_bytes: Int64
    hold_memory: Int32
    """[H] what an item holds: size and memory of each copy of a buffer."""
    hold_users: Int32
    """[H] ends to wait for before it is freed, counted once per use."""
    hold_stays: Bool
    """[H] whether it is a model output, which is freed with the item."""
    start_ptr: Int32
    start_hold: Int32
    """What each task allocates when it starts."""
    end_ptr: Int32
    end_hold: Int32
    """What each task's end lets go, once per use."""


@kernel
def _group(key: Int32, item: Int32, count: int, rows: int) -> tuple[Int32, Int32]:
    """CSR of ``count`` pairs by key, in their order."""
    ptr = np.zeros(rows + 1, np.int32)
    for k in range(count):
        ptr[key[k] + 1] += 1
    for row in range(rows):
        ptr[row + 1] += ptr[row]
    idx = np.empty(count, np.int32)
    place = ptr.copy()
    for k in range(count):
        idx[place[key[k]]] = item[k]
        place[key[k]] += 1
    return ptr, idx


@kernel
def make_flow(p: ProblemArrays, s: Scratch, order: Int32, device: Int32) -> Flow:
    """The tasks of the plan that ``s`` (with transfers kept) was just decoded from."""
    n, n_devices = p.op_time_ps.shape
    n_tensors, n_memories = p.tensor_size_bytes.shape[0], p.memory_capacity_bytes.shape[0]
    transfers, n_hops = s.transfers, s.result[N_TRANSFERS]
    n_tasks = 1 + n + n_hops
    duration = np.zeros(n_tasks, np.int64)
    queue = np.full(n_tasks, NONE, np.int32)
    share = np.zeros(n_tasks, np.int32)
    device_a = np.full(n_tasks, NONE, np.int32)
    device_b = np.full(n_tasks, NONE, np.int32)
    op_task = np.zeros(n, np.int32)
    came_by = np.zeros(s.arrival.shape, np.int32)
    last = np.zeros(n_devices + p.n_channels, np.int32)
    n_reads = p.in_tensor.shape[0]
    edge_limit = 2 * n_reads + 2 * n_tasks + 5 * n_hops
    edge_from = np.empty(edge_limit, np.int32)
    edge_to = np.empty(edge_limit, np.int32)
    n_edges = 0
    hold_of = np.full((n_tensors, n_memories), NONE, np.int32)
    hold_limit = n_tensors + n_hops + n_reads + p.out_tensor.shape[0]
    hold_size = np.zeros(hold_limit, np.int64)
    hold_memory = np.zeros(hold_limit, np.int32)
    hold_by = np.zeros(hold_limit, np.int32)
    hold_stays = np.zeros(hold_limit, np.bool_)
    n_holds = 0
    use_task = np.empty(n_reads + n + n_tensors + 2 * n_hops, np.int32)
    use_hold = np.empty(use_task.shape[0], np.int32)
    n_uses = 0
    host_memory = p.store_memory[p.host]

    for tensor in range(n_tensors):
        stays = p.tensor_is_output[tensor]
        if p.tensor_producer[tensor] < 0 and (p.inputs_on_host or (stays and p.outputs_on_host)):
            hold_of[tensor, host_memory] = n_holds
            hold_size[n_holds], hold_memory[n_holds] = p.tensor_size_bytes[tensor], host_memory
            hold_stays[n_holds] = stays
            n_holds += 1

    task = 0
    hop = 0
    for position in range(n):
        operator = order[position]
        home = device[operator]
        # Round 0: the hops that bring what it reads; 1: the operator; 2: the hops that take model outputs away.
        for part in range(3):
            while part == 1 or (
                hop < n_hops
                and transfers[hop, REQUESTER] == position
                and (part == 2 or p.tensor_producer[transfers[hop, REQUESTED]] != operator)
            ):
                task += 1
                first, reads = 0, 1
                store = home
                if part == 1:
                    op_task[operator] = task
                    first = p.in_ptr[operator]
                    reads = p.in_ptr[operator + 1] - first
                    if not p.is_view[operator]:
                        duration[task] = s.finish[operator] - s.start[operator]
                        queue[task] = home
                        share[task] = p.op_memory_share[operator, home]
                        device_a[task] = home
                else:
                    store = transfers[hop, 1]
                    target = transfers[hop, 2]
                    channel = transfers[hop, 3]
                    duration[task] = transfers[hop, 5] - transfers[hop, 4]
                    if p.blocking_transfers:
                        if target < n_devices:
                            device_a[task] = target
                        if store < n_devices:
                            device_b[task] = store
                    if channel >= 0:
                        queue[task] = n_devices + channel
                    elif device_a[task] >= 0 or device_b[task] >= 0:
                        queue[task] = n_devices + p.n_channels + (device_a[task] if device_a[task] >= 0 else store)
                for k in range(first, first + reads):
                    tensor = p.in_tensor[k] if part == 1 else transfers[hop, REQUESTED]
                    buffer, producer = p.tensor_root[tensor], p.tensor_producer[tensor]
                    memory = p.store_memory[store]
                    before = came_by[buffer, store]
                    if before > 0:
                        edge_from[n_edges], edge_to[n_edges] = before, task
                        n_edges += 1
                    elif hold_of[buffer, memory] < 0:
                        hold_of[buffer, memory] = n_holds
                        hold_size[n_holds], hold_memory[n_holds] = p.tensor_size_bytes[buffer], memory
                        n_holds += 1
                    if producer >= 0 and op_task[producer] != before:
                        edge_from[n_edges], edge_to[n_edges] = op_task[producer], task
                        n_edges += 1
                    use_task[n_uses], use_hold[n_uses] = task, hold_of[buffer, memory]
                    n_uses += 1
                # What it makes: an operator its outputs, a hop the copy at its target.
                first, makes = 0, 1
                if part == 1:
                    first = p.out_ptr[operator]
                    makes = p.out_ptr[operator + 1] - first
                else:
                    store = transfers[hop, 2]
                for k in range(first, first + makes):
                    tensor = p.out_tensor[k] if part == 1 else transfers[hop, 0]
                    buffer = p.tensor_root[tensor]
                    if buffer == tensor:
                        memory = p.store_memory[store]
                        came_by[buffer, store] = task
                        if hold_of[buffer, memory] < 0:
                            hold_of[buffer, memory] = n_holds
                            hold_size[n_holds], hold_memory[n_holds] = p.tensor_size_bytes[buffer], memory
                            hold_by[n_holds] = task
                            n_holds += 1
                        use_task[n_uses], use_hold[n_uses] = task, hold_of[buffer, memory]
                        n_uses += 1
                for which in range(3):
                    resource = device_a[task] if which == 0 else device_b[task]
                    if which == 2:
                        resource = queue[task] if n_devices <= queue[task] < n_devices + p.n_channels else NONE
                    if resource >= 0:
                        if last[resource] > 0:
                            edge_from[n_edges], edge_to[n_edges] = last[resource], task
                            n_edges += 1
                        last[resource] = task
                if part == 1:
                    break
                hop += 1
        for k in range(p.out_ptr[operator], p.out_ptr[operator + 1]):
            tensor = p.out_tensor[k]
            if p.tensor_is_output[tensor]:
                buffer = p.tensor_root[tensor]
                memory = p.store_memory[p.host if p.outputs_on_host else home]
                if hold_of[buffer, memory] < 0:
                    hold_of[buffer, memory] = n_holds
                    hold_size[n_holds], hold_memory[n_holds] = p.tensor_size_bytes[buffer], memory
                    n_holds += 1
                hold_stays[hold_of[buffer, memory]] = True

    n_before = np.zeros(n_tasks, np.int32)
    for k in range(n_edges):
        n_before[edge_to[k]] += 1
    for waiter in range(1, n_tasks):
        if n_before[waiter] == 0:
            edge_from[n_edges], edge_to[n_edges] = 0, waiter
            n_edges += 1
            n_before[waiter] = 1
    next_ptr, next_task = _group(edge_from, edge_to, n_edges, n_tasks)

    users = np.zeros(n_holds, np.int32)
    for k in range(n_uses):
        users[use_hold[k]] += 1
    end_ptr, end_hold = _group(use_task, use_hold, n_uses, n_tasks)
    n_kept = 0
    kept = np.empty(n_holds, np.int32)
    by = np.empty(n_holds, np.int32)
    for hold in range(n_holds):
        if hold_stays[hold]:
            users[hold] += 1
        if users[hold] > 0:
            kept[n_kept], by[n_kept] = hold, hold_by[hold]
            n_kept += 1
    start_ptr, start_hold = _group(by, kept, n_kept, n_tasks)
    return Flow(
        duration, queue, share, device_a, device_b, n_before, next_ptr, next_task,
        hold_size[:n_holds].copy(), hold_memory[:n_holds].copy(), users, hold_stays[:n_holds].copy(),
        start_ptr, start_hold, end_ptr, end_hold,
    )  # fmt: skip
