"""Plan after plan decoded and arrivals run through it: all of them, the busiest stretches, or none for a bound.

The P99 of 1,000 arrivals is the eleventh longest latency, and the longest ones come about in a few bursts. An estimate
runs these alone, each from a system with nothing in flight, from some arrivals before the burst on. Where bursts lie
is told by one server that takes as long for an item as the plan's busiest device or channel, or up to the time of a
whole item where that leaves the server idle for 30 % of the time.
"""

from __future__ import annotations

import numpy as np

from heteroopt.simulation.arrivals_kernel import run_stages
from heteroopt.simulation.compiled import kernel
from heteroopt.simulation.flow import Flow, make_flow
from heteroopt.simulation.kernel import simulate, simulate_alone
from heteroopt.simulation.latency_bound import above_p99, bound_p99, largest_after
from heteroopt.simulation.pipeline_kernel import run_flow
from heteroopt.simulation.problem import Int32, Int64, ProblemArrays
from heteroopt.simulation.scratch import LEAST_BOTTLENECK_PS, TIME_PS, Scratch
from heteroopt.simulation.stages import Stages, make_stages

BOUND, ESTIMATE, EXACT = 0, 1, 2

BEFORE = 2
"""Arrivals that a stretch begins before the one that finds the server idle."""


@kernel
def stretch_service_ps(alone_ps: int, bottleneck_ps: int, arrivals: Int64) -> int:
    """What the server that finds the stretches takes for an item."""
    return int(min(alone_ps, max(bottleneck_ps, 7 * arrivals[-1] // (10 * len(arrivals)))))


@kernel
def busy_stretches(arrivals: Int64, service_ps: int, first: Int64, last: Int64) -> int:
    """Write the first and the last arrival of each stretch and return their number, that with the longest wait first.

    The arrivals that wait longest for a server that takes ``service_ps`` (half as many again as lie from the P99 on;
    of equal ones the earlier), each with all since one that found it idle and ``BEFORE`` more; what touches is joined.
    ``first`` and ``last`` have room for as many.
    """
    n = len(arrivals)
    wait = np.zeros(n, np.int64)
    longest, count = np.empty(min(n, 3 * (above_p99(n) + 1) // 2), np.int64), 0
    for k in range(n):
        if k > 0:
            wait[k] = max(0, wait[k - 1] + service_ps - (arrivals[k] - arrivals[k - 1]))
        if count < len(longest):
            at = count
            count += 1
        elif wait[k] > wait[longest[count - 1]]:
            at = count - 1
        else:
            continue
        while at > 0 and wait[longest[at - 1]] < wait[k]:
            longest[at] = longest[at - 1]
            at -= 1
        longest[at] = k
    needed = np.zeros(n, np.bool_)
    for which in range(count):
        since = longest[which]
        while since > 0 and wait[since] > 0:
            since -= 1
        needed[max(0, since - BEFORE) : longest[which] + 1] = True
    n_stretches = 0
    for which in range(count):
        begin = end = longest[which]
        if not needed[begin]:
            continue
        while begin > 0 and needed[begin - 1]:
            begin -= 1
        while end + 1 < n and needed[end + 1]:
            end += 1
        needed[begin : end + 1] = False
        first[n_stretches], last[n_stretches] = begin, end
        n_stretches += 1
    return n_stretches


@kernel
def _run_items(
    p: ProblemArrays, flow: Flow, stages: Stages, alone_ps: int, arrivals: Int64, limit_ps: int, most: int, taken: Int64
) -> int:
    """How many items take longer than the limit, where ``taken`` [K] is what each takes; if more than ``most``, then
    not all need have been run.
    """
    if stages.usable:
        n_late = run_stages(stages, p.op_time_ps.shape[1], p.n_channels, alone_ps, arrivals, limit_ps, most, taken)
        if n_late <= most:
            for item in range(len(arrivals)):
                taken[item] -= arrivals[item]
        return n_late
    run_flow(p, flow, arrivals, False, taken, np.zeros(p.memory_capacity_bytes.shape[0], np.int64))
    n_late = 0
    for item in range(len(arrivals)):
        taken[item] -= arrivals[item]
        n_late += taken[item] > limit_ps
    return n_late


@kernel
def run_arrivals(
    p: ProblemArrays, s: Scratch, orders: Int32, devices: Int32, arrivals: Int64, mode: int, limits: Int64,
    p50: Int64, p99: Int64, bottleneck: Int64,
) -> None:  # fmt: skip
    """Decode plan after plan, and bound its P99 from below, estimate it or find it, by ``mode``; ``s`` keeps transfers.

    What is above ``limits`` [P] is given as the limit + 1, but for bounds. Results: ``p50`` (``EXACT`` alone, within
    the limit), ``p99`` and ``bottleneck`` [P].
    """
    n_devices, most = p.op_time_ps.shape[1], above_p99(len(arrivals))
    taken = np.empty(len(arrivals), np.int64)
    first, last = np.empty((2, len(arrivals)), np.int64)
    for k in range(orders.shape[0]):
        if p.contends:
            simulate_alone(p, s, orders[k], devices[k])
        else:
            simulate(p, s, orders[k], devices[k], False)
        flow = make_flow(p, s, orders[k], devices[k])
        bottleneck[k] = max(1, s.result[LEAST_BOTTLENECK_PS])
        # What an item takes alone, unless its own operators slow each other: then no less than this.
        alone = s.result[TIME_PS]
        if mode == BOUND:
            p99[k] = bound_p99(flow, n_devices, p.n_channels, alone, arrivals)
            continue
        stages = make_stages(flow, n_devices, p.n_channels, p.blocking_transfers)
        n_late, done = 0, 0
        if mode == ESTIMATE:
            n_stretches = busy_stretches(arrivals, stretch_service_ps(alone, bottleneck[k], arrivals), first, last)
            for row in range(n_stretches):
                part = arrivals[first[row] : last[row] + 1]
                n_late += _run_items(p, flow, stages, alone, part, limits[k], most - n_late, taken[done:])
                done += len(part)
                if n_late > most:
                    break
        else:
            n_late = _run_items(p, flow, stages, alone, arrivals, limits[k], most, taken)
            done = len(arrivals)
        if n_late > most:
            p99[k] = limits[k] + 1
            continue
        p99[k] = largest_after(taken[:done], most)
        if mode == EXACT:
            taken.sort()
            p50[k] = taken[(len(taken) + 1) // 2 - 1]
