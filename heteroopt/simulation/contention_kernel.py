"""The compiled decoder for devices that slow each other: it gives a plan that was just decoded its real times.

The rules are written down in :mod:`heteroopt.simulation.contention`; the comments here say how they are made fast. A
task whose time is fixed is timed as soon as all that it waits for is, whenever that is; only operators that can be
slowed are taken in the order of time, and of those each device has one at once.
"""

from __future__ import annotations

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.problem import IS_VIEW, Int32, ProblemArrays
from heteroopt.simulation.scratch import (
    ALONE_PS,
    DUE_PS,
    LEFT,
    MEMORY_WORK,
    N_TRANSFERS,
    OWN_PS,
    RECEIVED,
    REQUESTED,
    REQUESTER,
    SENT,
    SHARE,
    SINCE_PS,
    SPEED,
    TIME_PS,
    Scratch,
)
from heteroopt.simulation.sharing import SHARES_CUBED, SPEED_UNIT


@kernel
def slow_down(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, begin: int, end: int) -> None:
    """Give the operators at ``begin`` to ``end`` - 1 of the plan's order, just decoded, the times that follow from what
    overlaps: starts, ends, hops, busy times and makespan; and fill ``s.steady``.
    """
    if _may_meet(p, s, order, device, begin, end):
        _wire(p, s, order, device, begin, end)
        _run(p, s, order, device, begin, end)


@kernel
def _may_meet(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, begin: int, end: int) -> bool:
    """Fill ``s.steady``; whether two devices of one memory have operators that slow each other."""
    share, store_memory, steady, start, finish = p.op_memory_share, p.store_memory, s.steady, s.start, s.finish
    steady[OWN_PS] = s.busy
    steady[MEMORY_WORK] = 0
    for position in range(begin, end):
        operator = order[position]
        home = device[operator]
        steady[MEMORY_WORK, home] += share[operator, home] * (finish[operator] - start[operator])
    for d in range(share.shape[1]):
        if steady[MEMORY_WORK, d] > 0:
            for e in range(d):
                if steady[MEMORY_WORK, e] > 0 and store_memory[d] == store_memory[e]:
                    return True
    return False


@kernel
def _wire(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, begin: int, end: int) -> None:
    """Count what each task waits for, and list who waits for each: operators 0 to n - 1, then the hops in their order.

    Readers of what an operator makes are in the problem's lists already. What is not part of this run has ended.
    ``s.arrival`` is overwritten with the hop that made each copy.
    """
    in_ptr, in_tensor, in_maker, op_kind = p.in_ptr, p.in_tensor, p.in_maker, p.op_kind
    tensor_root, tensor_producer, blocking = p.tensor_root, p.tensor_producer, p.blocking_transfers
    transfers, arrival, mark, last = s.transfers, s.arrival, s.task_mark, s.last_task
    need, ready, first, edge = s.task_need, s.task_ready, s.edge_first, s.edge
    n, n_devices = p.op_memory_share.shape
    n_hops = s.result[N_TRANSFERS]
    n_edges = 0
    mark[n] += 1
    stamp = mark[n]
    last[:] = -1
    for position in range(begin, end):
        operator = order[position]
        mark[operator] = stamp
        need[operator] = 0
        ready[operator] = 0
        first[operator] = -1
    need[n : n + n_hops] = 0
    ready[n : n + n_hops] = 0
    first[n : n + n_hops] = -1
    hop = 0
    for position in range(begin, end):
        operator = order[position]
        home = device[operator]
        # Round 0: the hops that bring what it reads; 1: the operator; 2: the hops that take model outputs away.
        for part in range(3):
            while part == 1 or (
                hop < n_hops
                and transfers[hop, REQUESTER] == position
                and (part == 2 or tensor_producer[transfers[hop, REQUESTED]] != operator)
            ):
                task = operator if part == 1 else n + hop
                a, b, c = -1, -1, -1
                if part == 1:
                    if not op_kind[operator] & IS_VIEW:
                        a = home
                    for k in range(in_ptr[operator], in_ptr[operator + 1]):
                        maker = in_maker[k]
                        if maker >= 0 and mark[maker] == stamp:
                            need[operator] += 1
                        came = arrival[tensor_root[in_tensor[k]], home]
                        if came >= 0:
                            edge[n_edges, 0], edge[n_edges, 1] = task, first[n + came]
                            first[n + came] = n_edges
                            n_edges += 1
                            need[task] += 1
                else:
                    buffer, origin, target = transfers[hop, 0], transfers[hop, 1], transfers[hop, 2]
                    came, maker = arrival[buffer, origin], tensor_producer[buffer]
                    asked = tensor_producer[transfers[hop, REQUESTED]]
                    for which in range(2):
                        before = asked
                        if which == 0:
                            before = n + came if came >= 0 else maker
                        if before >= n or (before >= 0 and mark[before] == stamp):
                            edge[n_edges, 0], edge[n_edges, 1] = task, first[before]
                            first[before] = n_edges
                            n_edges += 1
                            need[task] += 1
                    if transfers[hop, 3] >= 0:
                        c = n_devices + transfers[hop, 3]
                    if blocking:
                        if origin < n_devices:
                            a = origin
                        if target < n_devices:
                            b = target
                    arrival[buffer, target] = hop
                for which in range(3):
                    resource = a if which == 0 else b if which == 1 else c
                    if resource >= 0:
                        before = last[resource]
                        if before >= 0:
                            edge[n_edges, 0], edge[n_edges, 1] = task, first[before]
                            first[before] = n_edges
                            n_edges += 1
                            need[task] += 1
                        last[resource] = task
                if part == 1:
                    break
                hop += 1


@kernel
def _run(p: ProblemArrays, s: Scratch, order: Int32, device: Int32, begin: int, end: int) -> None:
    """Time everything. A device's slowed operator first waits for its start (speed 0), then for its end."""
    share, store_memory, excess = p.op_memory_share, p.store_memory, p.memory_excess
    out_ptr, out_tensor, read_ptr, read_op = p.out_ptr, p.out_tensor, p.read_ptr, p.read_op
    op_start, op_finish, hops, transfers, busy = s.start, s.finish, s.hops, s.transfers, s.busy
    need, ready, first, edge, mark = s.task_need, s.task_ready, s.edge_first, s.edge, s.task_mark
    stack, running, on_device, pressure = s.task_stack, s.running, s.on_device, s.pressure
    n, n_devices = share.shape
    n_hops = s.result[N_TRANSFERS]
    stamp = mark[n]
    on_device[:] = -1
    pressure[:] = 0
    n_ready, n_slowed, makespan = 0, 0, 0
    for position in range(begin, end):
        if need[order[position]] == 0:
            stack[n_ready] = order[position]
            n_ready += 1
    for hop in range(n_hops):
        if need[n + hop] == 0:
            stack[n_ready] = n + hop
            n_ready += 1
    while n_ready > 0 or n_slowed > 0:
        if n_ready > 0:
            n_ready -= 1
            task = stack[n_ready]
            start = ready[task]
            if task < n:
                home = device[task]
                duration = op_finish[task] - op_start[task]
                op_start[task] = start
                if share[task, home] > 0 and duration > 0:
                    on_device[home] = task
                    running[home, DUE_PS] = start
                    running[home, LEFT] = duration * SPEED_UNIT
                    running[home, SPEED] = 0
                    running[home, ALONE_PS] = duration
                    running[home, SHARE] = share[task, home]
                    n_slowed += 1
                    continue
                finish = start + duration
                op_finish[task] = finish
            else:
                finish = start + hops[task - n, RECEIVED] - hops[task - n, SENT]
                hops[task - n, SENT], hops[task - n, RECEIVED] = start, finish
                transfers[task - n, 4], transfers[task - n, 5] = start, finish
        else:
            home = -1
            for d in range(n_devices):
                if on_device[d] >= 0 and (home < 0 or running[d, DUE_PS] < running[home, DUE_PS]):
                    home = d
            task, now, memory = on_device[home], running[home, DUE_PS], store_memory[home]
            finish = now
            starts = running[home, SPEED] == 0
            if starts:
                pressure[memory] += running[home, SHARE]
                running[home, SINCE_PS] = now
            else:
                pressure[memory] -= running[home, SHARE]
                on_device[home] = -1
                n_slowed -= 1
                op_finish[task] = now
                busy[home] += now - op_start[task] - running[home, ALONE_PS]
            for d in range(n_devices):
                if on_device[d] >= 0 and store_memory[d] == memory and (running[d, SPEED] > 0 or d == home):
                    left = running[d, LEFT] - (now - running[d, SINCE_PS]) * running[d, SPEED]
                    own = running[d, SHARE]
                    slowed = own * (pressure[memory] - own) * excess[memory]
                    speed = SPEED_UNIT * SHARES_CUBED // (SHARES_CUBED + slowed)
                    running[d, LEFT], running[d, SINCE_PS], running[d, SPEED] = left, now, speed
                    running[d, DUE_PS] = now + (left + speed - 1) // speed
            if starts:
                continue
        makespan = max(makespan, finish)
        if task < n:
            for k in range(out_ptr[task], out_ptr[task + 1]):
                for r in range(read_ptr[out_tensor[k]], read_ptr[out_tensor[k] + 1]):
                    other = read_op[r]
                    if mark[other] == stamp:
                        ready[other] = max(ready[other], finish)
                        need[other] -= 1
                        if need[other] == 0:
                            stack[n_ready] = other
                            n_ready += 1
        at = first[task]
        while at >= 0:
            other = edge[at, 0]
            ready[other] = max(ready[other], finish)
            need[other] -= 1
            if need[other] == 0:
                stack[n_ready] = other
                n_ready += 1
            at = edge[at, 1]
    s.result[TIME_PS] = makespan
