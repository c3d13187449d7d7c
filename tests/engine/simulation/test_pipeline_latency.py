"""P99 latency under Poisson arrivals: by hand, against the reference, and for plans that are too slow."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.errors import PlanError
from heteroopt.simulation.latency import latency_batch, p99_reference, poisson_arrivals_ps
from tests.engine.factories import plans, small_problem

ONE = small_problem([[1000]], [[0]], [[1]], [0, 0], inputs_on_host=False, outputs_on_host=False)
PLAN = np.array([[0]]), np.array([[0]])


def test_arrivals_are_one_sequence_scaled_by_the_rate():
    slow, fast = poisson_arrivals_ps(1e6), poisson_arrivals_ps(1e7)
    assert len(slow) == 1000
    assert (np.diff(slow) >= 0).all()
    assert np.abs(slow - 10 * fast).max() <= 10
    assert slow[-1] / 1000 == pytest.approx(1e6, rel=0.1)


def test_without_load_the_latency_is_the_makespan():
    values = latency_batch(ONE, *PLAN, 1000.0)
    assert values.p99_ps.tolist() == [1000]
    assert values.shortfall.tolist() == [0.0]


def test_one_device_is_the_queue_of_lindleys_recursion():
    rate = 0.8e9
    arrivals = poisson_arrivals_ps(rate).tolist()
    waited, latencies = 0, [1000]
    for before, after in itertools.pairwise(arrivals):
        waited = max(0, waited + 1000 - (after - before))
        latencies.append(waited + 1000)
    assert latency_batch(ONE, *PLAN, rate).p99_ps.tolist() == [sorted(latencies)[989]]


def test_too_slow_a_plan_falls_short_by_its_share():
    two = small_problem([[2000]], [[0]], [[1]], [0, 0], inputs_on_host=False, outputs_on_host=False)
    values = latency_batch(two, *PLAN, 1e9)
    assert values.shortfall[0] == pytest.approx(0.5)
    assert values.p99_ps[0] > 100 * 2000


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf"), 1e10, True, "many"])
def test_a_rate_out_of_range_is_refused(rate):
    with pytest.raises(PlanError) as error:
        poisson_arrivals_ps(rate)
    assert error.value.code == "arrival_rate_out_of_range"


@settings(max_examples=8, deadline=None)
@given(plans(max_operators=7), st.sampled_from([1e8, 5e8, 1e9]))
def test_compiled_equals_reference(plan, rate):
    problem, order, device = plan
    assert latency_batch(problem, order[None], device[None], rate).p99_ps[0] == p99_reference(
        problem, order, device, rate
    )
