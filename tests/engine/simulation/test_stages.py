"""Arrivals run stage by stage equal those run task by task, and the bounds of the P99 latency are bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.simulation.arrival_runs import busy_stretches
from heteroopt.simulation.arrivals_kernel import run_stages
from heteroopt.simulation.flow import make_flow
from heteroopt.simulation.kernel import simulate
from heteroopt.simulation.latency import (
    latencies_within,
    latency_batch,
    latency_bounds,
    latency_estimates,
    p99_estimate_reference,
    poisson_arrivals_ps,
    shortfall_of,
    waiting_table,
)
from heteroopt.simulation.latency_bound import p99_of, waiting
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.pipeline_decoder import run_plans
from heteroopt.simulation.scratch import TIME_PS, make_scratch
from heteroopt.simulation.stages import make_stages
from tests.engine.factories import plans, random_devices, random_order, random_problem, small_problem

NO_HOST = {"inputs_on_host": False, "outputs_on_host": False}


def staged(problem, order, device, arrivals):
    """``(stages, finishes)`` of items that arrive then; finishes are ``None`` where stages cannot be used."""
    scratch = make_scratch(problem, with_transfers=True)
    order, device = np.array(order, np.int32), np.array(device, np.int32)
    simulate(problem.arrays, scratch, order, device, False)
    flow = make_flow(problem.arrays, scratch, order, device)
    sizes = problem.n_devices, problem.n_channels
    stages = make_stages(flow, *sizes, problem.blocking_transfers)
    if not stages.usable:
        return stages, None
    finish = np.zeros(len(arrivals), np.int64)
    run_stages(stages, *sizes, int(scratch.result[TIME_PS]), np.array(arrivals, np.int64), 2**62, 0, finish)
    return stages, finish.tolist()


def test_a_row_of_operators_on_one_device_is_one_stage():
    n = 5
    problem = small_problem(
        [[10, 20]] * n, [[i] for i in range(n)], [[i + 1] for i in range(n)], [0] * (n + 1),
        output_tensors=[n], **NO_HOST,
    )  # fmt: skip
    stages, finish = staged(problem, range(n), [0] * n, [0, 5, 500])
    assert stages.end_ptr.tolist() == [0, n]
    assert stages.end_ps.tolist() == [10, 20, 30, 40, 50]
    assert finish == [50, 100, 550]


def test_an_older_item_goes_first_where_an_operator_ends():
    # Device 0: a, then c and d; device 1: b between. Item 0 is back on device 0 while item 1 is in the middle of a.
    times = [[10, 1], [10, 1], [1, 5], [10, 1], [10, 1]]
    problem = small_problem(
        times, [[0], [1], [2], [3], [4]], [[1], [2], [3], [4], [5]], [0] * 6, output_tensors=[5],
        routes=None, **NO_HOST,
    )  # fmt: skip
    device = [0, 0, 1, 0, 0]
    _, finish = staged(problem, range(5), device, [0, 1, 2])
    reference, _ = run_pipeline_reference(problem, list(range(5)), device, [0, 1, 2])
    assert finish == reference.finish_ps.tolist()


def test_operators_that_slow_each_other_are_run_task_by_task_and_bounded_by_their_times_alone():
    # Two operators of 1,000 ps beside each other in one memory, both bound by it: together they take 2,000 ps.
    problem = small_problem(
        [[1000, 1000]] * 2, [[0], [1]], [[2], [3]], [0] * 4, store_memory=[0, 0], output_tensors=[2, 3],
        shares=[[1.0, 1.0]] * 2, slowdown=[2.0], **NO_HOST,
    )  # fmt: skip
    stages, _ = staged(problem, [0, 1], [0, 1], [0])
    assert not stages.usable
    one = np.array([[0, 1]]), np.array([[0, 1]])
    seldom = latency_batch(problem, *one, 1.0)
    assert (seldom.p50_ps.tolist(), seldom.p99_ps.tolist()) == ([2000], [2000])
    bound, busiest = latency_bounds(problem, *one, 1.0)
    assert (bound.tolist(), busiest.tolist()) == ([1000], [1000])
    # A rate is too high where devices could not keep up even with nothing to slow them.
    assert latency_batch(problem, *one, 8e8).shortfall.tolist() == [0]


@settings(max_examples=150, deadline=None)
@given(plans(max_operators=14), st.lists(st.integers(0, 600), min_size=1, max_size=9))
def test_stages_equal_the_reference(plan, arrivals):
    problem, order, device = plan
    arrivals = sorted(arrivals)
    _, finish = staged(problem, order, device, arrivals)
    if finish is not None:
        reference, _ = run_pipeline_reference(problem, order, device, arrivals)
        assert finish == reference.finish_ps.tolist()


@pytest.mark.parametrize("seed", range(12))
def test_larger_plans_equal_the_task_by_task_pipeline_and_respect_the_bounds(seed):
    rng = np.random.default_rng(seed)
    slow = {"domain": True, "contention": True} if seed % 4 == 3 else {}
    problem = random_problem(seed, 40, 4, shared_channels=seed % 2 == 0, launches=seed % 3 == 0, **slow)
    orders = np.array([random_order(problem, rng) for _ in range(6)])
    devices = np.array([random_devices(problem, rng) for _ in range(6)])
    # Few runs on each device in half of the plans: long stages.
    place = np.argsort(orders[:3], axis=1) * 3 // problem.n_operators
    legal = np.asarray(problem.legal)
    for row in range(3):
        for operator in range(problem.n_operators):
            if legal[operator, place[row, operator] % problem.n_devices]:
                devices[row, operator] = place[row, operator] % problem.n_devices
    *_, bottleneck = run_plans(problem, orders, devices, np.zeros(1, np.int64))
    for load in (0.2, 0.7, 0.99):
        rate = load * 1e12 / float(np.median(bottleneck))
        arrivals = poisson_arrivals_ps(rate)
        finish, _, _ = run_plans(problem, orders, devices, arrivals, with_memory=False)
        found = latency_batch(problem, orders, devices, rate)
        assert found.p99_ps.tolist() == np.sort(finish - arrivals, axis=1)[:, 989].tolist()
        assert found.p50_ps.tolist() == np.sort(finish - arrivals, axis=1)[:, 499].tolist()
        assert found.shortfall.tolist() == shortfall_of(bottleneck, rate).tolist()
        limits = found.p99_ps + np.array([0, 1, -1, -5, 2, -2])
        within = latencies_within(problem, orders, devices, rate, limits)
        assert within.tolist() == np.minimum(found.p99_ps, limits + 1).tolist()
        assert (latency_bounds(problem, orders, devices, rate)[0] <= found.p99_ps).all()
        estimates = latency_estimates(problem, orders, devices, rate)
        assert slow or (np.abs(estimates / found.p99_ps - 1) < 0.25).all()
        limits = estimates + np.array([0, 1, -1, -5, 2, -2])
        cut = latency_estimates(problem, orders, devices, rate, limits)
        assert cut.tolist() == np.minimum(estimates, limits + 1).tolist()


@settings(max_examples=8, deadline=None)
@given(plans(max_operators=7), st.sampled_from([1e6, 2e8, 5e8, 1e9]))
def test_estimates_equal_the_reference(plan, rate):
    problem, order, device = plan
    found = latency_estimates(problem, order[None], device[None], rate)[0]
    assert found == p99_estimate_reference(problem, order, device, rate)


def stretches(arrivals, service_ps):
    """Pairs of the first and the last arrival of each stretch."""
    first, last = np.zeros((2, len(arrivals)), np.int64)
    count = busy_stretches(np.array(arrivals, np.int64), service_ps, first, last)
    return list(zip(first[:count].tolist(), last[:count].tolist(), strict=True))


def test_stretches_hold_the_longest_waits_from_before_the_server_was_idle():
    # Of 200 arrivals, 100 ps apart, two lie above the P99, so four waits are looked for. The server takes 100 ps.
    arrivals = [100 * k for k in range(200)]
    assert stretches(arrivals, 100) == [(0, 3)]
    # Arrivals 50 to 52 come with 49, which finds the server idle: they wait 100, 200 and 300 ps. No other waits.
    arrivals[50:53] = [arrivals[49]] * 3
    assert stretches(arrivals, 100) == [(47, 52), (0, 0)]


@settings(max_examples=60, deadline=None)
@given(plans(max_operators=9), st.sampled_from([1e8, 5e8, 1e9]))
def test_bounds_are_bounds_with_every_kind_of_transfer(plan, rate):
    problem, order, device = plan
    one = order[None], device[None]
    bound, exact = latency_bounds(problem, *one, rate)[0], latency_batch(problem, *one, rate)
    assert bound[0] <= exact.p99_ps[0]
    # The cheap one, of the busiest queue alone.
    *_, bottleneck = run_plans(problem, *one, np.zeros(1, np.int64))
    table, step = waiting_table(rate)
    cheap = waiting(table, step, np.floor(bottleneck[0] / step) * step) + bottleneck[0]
    assert bottleneck[0] == 1 or cheap <= exact.p99_ps[0] + 1e-6


def test_the_rank_is_the_nearest():
    values = np.random.default_rng(0).permutation(np.arange(1, 1001))
    assert p99_of(values) == 990
    assert p99_of(np.array([7])) == 7
    assert p99_of(np.array([5, 7, 7, 1])) == 7


def test_one_server_waits_as_lindley_says():
    problem = small_problem([[1000]], [[0]], [[1]], [0, 0], **NO_HOST)
    table, step = waiting_table(0.8e9)
    exact = latency_batch(problem, np.array([[0]]), np.array([[0]]), 0.8e9).p99_ps[0]
    assert waiting(table, step, 1000.0) + 1000 == pytest.approx(exact, rel=0.01)
