"""The critical chain has no gap and every link is a reason to wait."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings

from heteroopt.simulation.decoder import decode_one
from tests.engine.factories import plans, small_problem


@settings(max_examples=80, deadline=None)
@given(plans(max_operators=20))
def test_chain_reaches_from_zero_to_the_makespan_without_a_gap(plan):
    problem, order, device = plan
    schedule = decode_one(problem, order, device)
    steps = schedule.critical_steps
    assert steps[-1].finish_ps == schedule.makespan_ps
    assert steps[0].start_ps == 0
    assert all(a.finish_ps == b.start_ps for a, b in pairwise(steps))
    assert sum(s.finish_ps - s.start_ps for s in steps) == schedule.makespan_ps
    assert 0.0 <= schedule.transfer_share <= 1.0


def test_diamond():
    problem = small_problem(
        [[100, 60], [100, 50], [80, 90], [40, 40]],
        [[0], [1], [1], [2, 3]],
        [[1], [2], [3], [4]],
        [0, 40, 30, 20, 5],
    )
    schedule = decode_one(problem, [0, 1, 2, 3], [0, 1, 0, 0])
    assert [(s.kind, s.index) for s in schedule.critical_steps] == [
        ("operator", 0),
        ("transfer", 0),
        ("operator", 1),
        ("transfer", 1),
        ("operator", 3),
    ]
    assert schedule.critical_path == (0, 1, 3)
    assert schedule.transfer_share == 90 / 280


def test_chain_runs_through_the_device_when_that_is_what_was_waited_for():
    problem = small_problem([[10], [20], [5]], [[], [], [0]], [[0], [1], [2]], [0, 0, 0])
    assert decode_one(problem, [0, 1, 2], [0, 0, 0]).critical_path == (0, 1, 2)
