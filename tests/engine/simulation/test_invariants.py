"""What must hold of every schedule, checked from the schedule itself and not from how it was made."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
from hypothesis import given, settings

from heteroopt.simulation.decoder import decode_one
from heteroopt.simulation.schedule import STAYS
from tests.engine.factories import plans


@settings(max_examples=150, deadline=None)
@given(plans(max_operators=20))
def test_schedule_is_physical(plan):
    problem, order, device = plan
    schedule = decode_one(problem, order, device)
    start, finish = schedule.start_ps, schedule.finish_ps
    n = problem.n_operators

    # Durations and precedence.
    for i in range(n):
        expected = 0 if problem.is_view[i] else problem.op_time_ps[i, device[i]]
        more = finish[i] - start[i] - expected
        slowed = problem.op_memory_share[i, device[i]] > 0
        assert more >= 0 if slowed else more in (0, 0 if problem.is_view[i] else problem.segment_launch_ps[device[i]])
        for p in problem.pred_idx[problem.pred_ptr[i] : problem.pred_ptr[i + 1]]:
            assert finish[p] <= start[i]

    # One thing at a time on each device (in the plan's order) and on each channel (in the order of placing).
    by_device = defaultdict(list)
    for i in order:
        if not problem.is_view[i]:
            by_device[int(device[i])].append((int(start[i]), int(finish[i])))
    for busy in by_device.values():
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(busy))
    if problem.blocking_transfers:
        for t in schedule.transfers:
            for store in {t.source, t.target} & set(range(problem.n_devices)):
                by_device[store].append((t.start_ps, t.finish_ps))
    for d, busy in by_device.items():
        busy = sorted(span for span in busy if span[0] < span[1])
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(busy))
        assert schedule.busy_ps[d] == sum(b - a for a, b in busy)
    by_channel = defaultdict(list)
    for t in schedule.transfers:
        if t.channel >= 0:
            by_channel[t.channel].append((t.start_ps, t.finish_ps))
    for busy in by_channel.values():
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(busy))

    # A buffer is sent once to each store, and only from where it is complete.
    complete = {}
    for t in range(problem.n_tensors):
        producer = problem.tensor_producer[t]
        if producer < 0 and problem.inputs_on_host:
            complete[t, problem.host] = 0
        elif producer >= 0 and problem.tensor_root[t] == t:
            complete[t, int(device[producer])] = int(finish[producer])
    for t in schedule.transfers:
        if (t.tensor, t.source) in complete:
            assert complete[t.tensor, t.source] <= t.start_ps
        else:
            assert problem.tensor_producer[t.tensor] < 0 and not problem.inputs_on_host
        assert (t.tensor, t.target) not in complete
        complete[t.tensor, t.target] = t.finish_ps

    # Every operator reads what is complete on its device, while it is held there.
    spans = {(h.tensor, h.memory): h for h in schedule.holdings}
    for i in range(n):
        memory = int(problem.store_memory[device[i]])
        for t in problem.in_tensor[problem.in_ptr[i] : problem.in_ptr[i + 1]]:
            buffer = int(problem.tensor_root[t])
            if problem.tensor_producer[buffer] >= 0 or problem.inputs_on_host:
                assert complete[buffer, int(device[i])] <= start[i]
            held = spans[buffer, memory]
            assert held.start_ps <= start[i] and held.end_ps >= finish[i]
    for t in np.flatnonzero(problem.tensor_is_output):
        producer = problem.tensor_producer[t]
        if problem.outputs_on_host:
            place = int(problem.store_memory[problem.host])
        elif producer >= 0:
            place = int(problem.store_memory[device[producer]])
        else:
            continue
        assert spans[int(problem.tensor_root[t]), place].end_ps == STAYS

    # Peak and overflow, by looking at every instant at which something is allocated.
    weights = [set() for _ in range(problem.n_memories)]
    for i in range(n):
        weights[problem.store_memory[device[i]]].update(
            problem.init_idx[problem.init_ptr[i] : problem.init_ptr[i + 1]].tolist()
        )
    overflow = 0
    for m in range(problem.n_memories):
        base = sum(int(problem.init_size_bytes[w]) for w in weights[m])
        held = [h for h in schedule.holdings if h.memory == m]
        levels = [
            base + sum(h.size_bytes for h in held if h.start_ps <= instant < h.end_ps)
            for instant in {h.start_ps for h in held}
        ]
        assert schedule.peak_bytes[m] == max([base, *levels])
        overflow += max(0, int(schedule.peak_bytes[m]) - int(problem.memory_capacity_bytes[m]))
        points = schedule.memory_points(m)
        assert max(size for _, size in points) == schedule.peak_bytes[m]
        assert [time for time, _ in points] == sorted({time for time, _ in points})
    assert schedule.overflow_bytes == overflow

    # Objectives.
    ends = [0, *finish.tolist(), *(t.finish_ps for t in schedule.transfers)]
    assert schedule.makespan_ps == max(ends)
    share = schedule.busy_ps / max(1, schedule.makespan_ps)
    assert (share <= 1).all() and 0 <= schedule.load_variance <= 0.25
    assert np.isclose(schedule.load_variance, np.var(share))
    used = [d for d in range(problem.n_devices) if problem.idle_energy_pool or d in device]
    idle = sum(problem.idle_power_w[d] for d in used) * schedule.makespan_ps
    work = sum(int(problem.op_energy_pj[i, device[i]]) for i in range(n))
    assert np.isclose(schedule.energy_pj, work + schedule.transfer_energy_pj + idle)
