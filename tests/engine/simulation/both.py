"""Decode a plan with the reference and the compiled decoder, insist that they agree, and return the schedule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heteroopt.simulation.decoder import count_segments, decode_batch, decode_one
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference import decode_reference
from heteroopt.simulation.schedule import Schedule, differences


def decode(problem: Problem, order: Sequence[int], device: Sequence[int]) -> Schedule:
    schedule = decode_reference(problem, order, device)
    compiled = decode_one(problem, order, device)
    assert differences(schedule, compiled) == []
    batch = decode_batch(problem, np.array([order, order]), np.array([device, device]))
    for row in range(2):
        assert batch.time_ps[row] == schedule.makespan_ps
        assert batch.energy_pj[row] == schedule.energy_pj
        assert batch.load_variance[row] == schedule.load_variance
        assert batch.overflow_bytes[row] == schedule.overflow_bytes
        assert batch.peak_bytes[row].tolist() == schedule.peak_bytes.tolist()
        assert batch.busy_ps[row].tolist() == schedule.busy_ps.tolist()
        assert batch.transferred_bytes[row] == schedule.transferred_bytes
        assert batch.n_transfers[row] == schedule.n_transfers
        assert batch.n_cut_edges[row] == schedule.n_cut_edges
    segments, launches = count_segments(problem, np.array([order]), np.array([device]))
    assert (segments[0], launches[0]) == (schedule.n_segments, schedule.launch_ps)
    fast = decode_batch(problem, np.array([order]), np.array([device]), exact_peak=False)
    assert fast.overflow_bytes[0] == schedule.overflow_bytes
    assert (fast.peak_bytes[0] >= schedule.peak_bytes).all()
    return schedule


def spans(schedule: Schedule) -> list[tuple[int, int]]:
    """``(start, finish)`` of every operator."""
    return list(zip(schedule.start_ps.tolist(), schedule.finish_ps.tolist(), strict=True))


def hops(schedule: Schedule) -> list[tuple[int, int, int, int, int]]:
    """``(tensor, source, target, start, finish)`` of every transfer."""
    return [(t.tensor, t.source, t.target, t.start_ps, t.finish_ps) for t in schedule.transfers]


def held(schedule: Schedule, memory: int) -> list[tuple[int, int, int]]:
    """``(tensor, start, end)`` of what lies in a memory."""
    return [(h.tensor, h.start_ps, h.end_ps) for h in schedule.holdings if h.memory == memory]
