"""Working memory of the compiled decoder, allocated once and used for every plan after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from heteroopt.simulation.peak import N_BUCKETS
from heteroopt.simulation.problem import Bool, Float64, Int32, Int64, Problem

# Places in ``Scratch.result``.
TIME_PS = 0
OPERATOR_PJ = 1
TRANSFER_PJ = 2
OVERFLOW_BYTES = 3
TRANSFERRED_BYTES = 4
N_TRANSFERS = 5
N_CUT_EDGES = 6
BOTTLENECK_PS = 7
N_SEGMENTS = 8
LAUNCH_PS = 9
LEAST_BOTTLENECK_PS = 10
N_RESULTS = 11

# Places in ``Scratch.value``.
ENERGY_PJ = 0
LOAD_VARIANCE = 1
IDLE_PJ = 2
N_VALUES = 3

SHOWN_FIELDS = 7
"""Leading columns of ``Scratch.transfers``: those of :class:`~heteroopt.simulation.schedule.Transfer`."""
REQUESTED = 7
"""Column: the tensor that the hop was placed for; its buffer is column 0."""
REQUESTER = 8
"""Column: position in the order of the operator that the hop was placed for, which may be its reader or its maker."""
TRANSFER_FIELDS = 9

# Rows of ``Scratch.steady``: busy times alone, and the part of them that memory takes, per 1,024.
OWN_PS = 0
MEMORY_WORK = 1

# Columns of ``Scratch.running``, a row per device: when its next event is due, what its operator has left to do since
# when at which speed, its own time and its share of the memory; see ``contention_kernel``.
DUE_PS = 0
LEFT = 1
SINCE_PS = 2
SPEED = 3
ALONE_PS = 4
SHARE = 5
N_RUNNING = 6

# Columns of ``Scratch.hops``, one row per hop of the last plan: which hop of the problem, and its times in ps.
HOP = 0
SENT = 1
RECEIVED = 2


class Scratch(NamedTuple):
    """What one thread needs to decode; after a call it holds the plan's results.

    ``result`` and ``value`` are read by the places named above, ``busy`` and ``n_placed`` (operators) by device,
    ``channel_busy`` by channel,
    ``peak`` by memory (exact only if it was asked for), ``start`` and ``finish`` by operator. ``arrival`` holds -1
    but for the copies that hops of the last plan made. ``level`` is by operator that of its segment, ``store_level`` by
    device that of its open segment, and ``unpaid`` says whether that one's launch is still to come. What
    follows ``unpaid`` is empty unless devices slow each other.
    """

    result: Int64
    value: Float64
    start: Int64
    finish: Int64
    store_free: Int64
    busy: Int64
    n_placed: Int64
    channel_free: Int64
    channel_busy: Int64
    arrival: Int64
    held_start: Int64
    held_end: Int64
    held_tensor: Int32
    n_held: Int64
    weight_mark: Int64
    weight: Int64
    held_sum: Int64
    peak: Int64
    sort_time: Int64
    sort_size: Int64
    bucket: Int64
    transfers: Int64
    hops: Int64
    hop_buffer: Int32
    stamp: Int64
    level: Int64
    store_level: Int64
    unpaid: Bool
    steady: Int64
    running: Int64
    on_device: Int32
    pressure: Int64
    task_need: Int32
    task_ready: Int64
    task_mark: Int64
    edge_first: Int32
    edge: Int32
    last_task: Int32
    task_stack: Int32


def make_scratch(problem: Problem, *, with_transfers: bool = False) -> Scratch:
    """Allocate for one problem; ``with_transfers`` also keeps every hop of the last plan decoded (always kept
    where devices slow each other)."""
    n, t = problem.n_operators, problem.n_tensors
    s, m = problem.n_stores, problem.n_memories
    slowed = int(problem.contends)
    tasks = slowed * (n + t * s)
    edges = slowed * (len(problem.in_tensor) + n + 5 * t * s)
    return Scratch(
        result=np.zeros(N_RESULTS, np.int64),
        value=np.zeros(N_VALUES, np.float64),
        start=np.zeros(n, np.int64),
        finish=np.zeros(n, np.int64),
        store_free=np.zeros(s, np.int64),
        busy=np.zeros(s, np.int64),
        n_placed=np.zeros(s, np.int64),
        channel_free=np.zeros(problem.n_channels, np.int64),
        channel_busy=np.zeros(problem.n_channels, np.int64),
        arrival=np.full((t, s), -1, np.int64),
        held_start=np.zeros((t, m), np.int64),
        held_end=np.zeros((t, m), np.int64),
        held_tensor=np.zeros((m, t), np.int32),
        n_held=np.zeros(m, np.int64),
        weight_mark=np.zeros((problem.n_initializers, m), np.int64),
        weight=np.zeros(m, np.int64),
        held_sum=np.zeros(m, np.int64),
        peak=np.zeros(m, np.int64),
        sort_time=np.zeros((3, t), np.int64),
        sort_size=np.zeros((3, t), np.int64),
        bucket=np.zeros(N_BUCKETS + 1, np.int64),
        transfers=np.zeros((t * s if with_transfers or problem.contends else 0, TRANSFER_FIELDS), np.int64),
        hops=np.zeros((t * s, 3), np.int64),
        hop_buffer=np.zeros(t * s, np.int32),
        stamp=np.zeros(1, np.int64),
        level=np.zeros(n, np.int64),
        store_level=np.zeros(s, np.int64),
        unpaid=np.zeros(s, np.bool_),
        steady=np.zeros((2, slowed * s), np.int64),
        running=np.zeros((slowed * problem.n_devices, N_RUNNING), np.int64),
        on_device=np.zeros(slowed * problem.n_devices, np.int32),
        pressure=np.zeros(slowed * m, np.int64),
        task_need=np.zeros(tasks, np.int32),
        task_ready=np.zeros(tasks, np.int64),
        task_mark=np.zeros(slowed * (n + 1), np.int64),
        edge_first=np.zeros(tasks, np.int32),
        edge=np.zeros((edges, 2), np.int32),
        last_task=np.zeros(slowed * (problem.n_devices + problem.n_channels), np.int32),
        task_stack=np.zeros(tasks, np.int32),
    )
