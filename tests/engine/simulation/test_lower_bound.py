"""No plan beats the bound, and the bound is not idle."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.lower_bound import makespan_lower_bound_ps
from tests.engine.factories import problems, random_devices, random_order, small_problem


@settings(max_examples=60, deadline=None)
@given(problems(max_operators=8), st.integers(0, 2**32 - 1))
def test_no_plan_is_faster(problem, seed):
    rng = np.random.default_rng(seed)
    orders = np.array([random_order(problem, rng) for _ in range(30)])
    devices = np.array([random_devices(problem, rng) for _ in range(30)])
    assert makespan_lower_bound_ps(problem) <= decode_batch(problem, orders, devices).time_ps.min()


def test_path_counts_the_cheapest_transfers():
    # Input 0 must leave the host (0), which cannot compute operator 0; the output must come back.
    problem = small_problem([[-1, 100, 90]], [[0]], [[1]], [30, 50], output_tensors=[1])
    assert makespan_lower_bound_ps(problem) == 40 + 90 + 60


def test_load_is_spread_over_unlike_devices():
    # Ten independent operators of 30 on device 0 and 60 on device 1: at best two thirds go to device 0.
    problem = small_problem([[30, 60]] * 10, [[]] * 10, [[i] for i in range(10)], [0] * 10)
    assert 195 <= makespan_lower_bound_ps(problem) <= 200


def test_single_operator_is_exact():
    assert makespan_lower_bound_ps(small_problem([[7, 9]], [[]], [[0]], [0])) == 7
