"""Lower bounds of the P99 latency, far cheaper than running 1,000 items: each queue of a plan as a queue by itself.

Items do not overtake each other: a task of an item starts no earlier than the same task of any older item, since
devices prefer the older item, channels the earlier request, what a queue runs ends before it takes the next, and what
waits in none takes the same time in every item. So of a queue that is busy for b per item, whose first task can start
h after the arrival, and after whose last task an item needs t more, item k is finished no earlier than D(k) + t with
D(k) = max(D(k - 1), A(k) + h) + b (Lindley's recursion); nor earlier than its arrival and the longest path. All times
are those that nothing slows, with the launches of segments: where devices slow each other, operators take longer, never
shorter, so the bounds hold there too.
"""

from __future__ import annotations

import numpy as np

from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.flow import Flow
from heteroopt.simulation.problem import Float64, Int64


@kernel
def above_p99(count: int) -> int:
    """How many of so many latencies lie above the nearest rank of 99 %: of 1,000 ten."""
    return count - (99 * count + 99) // 100


@kernel
def p99_of(latency: Int64) -> int:
    """The latency of nearest rank 99 % of [K]: with K = 1,000 the eleventh largest."""
    return largest_after(latency, above_p99(len(latency)))


@kernel
def largest_after(latency: Int64, n_above: int) -> int:
    """The largest of [K] but for the ``n_above`` < K larger ones."""
    largest = np.empty(n_above + 1, np.int64)
    count = 0
    for value in latency:
        if count <= n_above:
            at = count
            count += 1
        elif value > largest[n_above]:
            at = n_above
        else:
            continue
        while at > 0 and largest[at - 1] < value:
            largest[at] = largest[at - 1]
            at -= 1
        largest[at] = value
    return int(largest[n_above])


@kernel
def waits_p99(arrivals: Int64, service_ps: Int64, wait_ps: Int64) -> None:
    """``wait_ps`` [B]: the P99 of the time that arrivals wait for one server that takes ``service_ps`` [B] for each."""
    latency = np.empty(len(arrivals), np.int64)
    for row in range(len(service_ps)):
        free = 0
        for k in range(len(arrivals)):
            begin = max(free, arrivals[k])
            latency[k] = begin - arrivals[k]
            free = begin + service_ps[row]
        wait_ps[row] = p99_of(latency)


@kernel
def bound_p99(flow: Flow, n_devices: int, n_channels: int, alone_ps: int, arrivals: Int64) -> int:
    """A lower bound in ps for one plan, whose item takes no less than ``alone_ps``."""
    n_tasks, n_queues = flow.duration_ps.shape[0], n_devices + n_channels
    duration, queue = flow.duration_ps, flow.queue
    ready = np.zeros(n_tasks, np.int64)
    after = np.zeros(n_tasks, np.int64)
    for task in range(n_tasks):
        for e in range(flow.next_ptr[task], flow.next_ptr[task + 1]):
            waiter = flow.next_task[e]
            ready[waiter] = max(ready[waiter], ready[task] + duration[task])
    for k in range(n_tasks):
        task = n_tasks - 1 - k
        for e in range(flow.next_ptr[task], flow.next_ptr[task + 1]):
            waiter = flow.next_task[e]
            after[task] = max(after[task], after[waiter] + duration[waiter])
    head = np.full(n_queues, -1, np.int64)
    tail = np.zeros(n_queues, np.int64)
    busy = np.zeros(n_queues, np.int64)
    for task in range(1, n_tasks):
        line = queue[task]
        if 0 <= line < n_queues:
            if head[line] < 0:
                head[line] = ready[task]
            tail[line] = after[task]
            busy[line] += duration[task]
    latency = np.full(len(arrivals), alone_ps, np.int64)
    for line in range(n_queues):
        if busy[line] == 0:
            continue
        leaves = 0
        for k in range(len(arrivals)):
            leaves = max(leaves, arrivals[k] + head[line]) + busy[line]
            latency[k] = max(latency[k], leaves + tail[line] - arrivals[k])
    return p99_of(latency)


@kernel
def waiting(wait_ps: Float64, step_ps: float, service_ps: float) -> float:
    """The P99 waiting time of a server that takes ``service_ps``, from a table for multiples of ``step_ps``, linear
    between and beyond its entries.
    """
    at = min(len(wait_ps) - 2, int(service_ps / step_ps))
    return float(wait_ps[at] + (service_ps / step_ps - at) * (wait_ps[at + 1] - wait_ps[at]))
