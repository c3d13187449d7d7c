"""Bottleneck, memory, traffic and price of plans, by hand and against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from heteroopt.simulation.measures import bottleneck_of, measure_plans
from heteroopt.simulation.problem import Hop, make_problem
from heteroopt.simulation.reference import decode_reference
from tests.engine.factories import plans, small_problem, star_routes


def chain(times, sizes, **options):
    """Operators in a row; tensor 0 is the model input, the last one the output."""
    n = len(times)
    return small_problem(times, [[i] for i in range(n)], [[i + 1] for i in range(n)], sizes, **options)


def measured(problem, device):
    return measure_plans(problem, np.array([range(problem.n_operators)]), np.array([device]))


def test_the_busiest_device_is_the_bottleneck():
    problem = chain([[100, 100], [300, 300]], [0, 0, 0], inputs_on_host=False, outputs_on_host=False)
    result = measured(problem, [0, 1])
    assert result.bottleneck_ps.tolist() == [300]
    assert result.throughput_per_s[0] == pytest.approx(1e12 / 300)
    assert measured(problem, [0, 0]).bottleneck_ps.tolist() == [400]


def test_a_slow_channel_is_the_bottleneck():
    problem = chain([[100, 100], [300, 300]], [0, 500, 0], inputs_on_host=False, outputs_on_host=False)
    assert measured(problem, [0, 1]).bottleneck_ps.tolist() == [510]


def test_blocking_transfers_count_on_both_devices():
    options = {"inputs_on_host": False, "outputs_on_host": False, "blocking": True}
    problem = chain([[100, 100], [300, 300]], [0, 500, 0], **options)
    assert measured(problem, [0, 1]).bottleneck_ps.tolist() == [810]


def test_traffic_of_two_directions_adds_up_only_where_they_share_a_channel():
    apart = chain([[1, 1]], [200, 300])
    routes = star_routes(2)
    routes[1][0] = [Hop(1, 0, 0, 10, 1.0, 0.0)]
    shared = chain([[1, 1]], [200, 300], routes=routes, output_tensors=[1])
    assert measured(apart, [1]).bottleneck_ps.tolist() == [210]
    result = measured(shared, [1])
    assert result.bottleneck_ps.tolist() == [520]
    assert result.evaluation.transferred_bytes.tolist() == [500]
    assert result.evaluation.n_transfers.tolist() == [2]


def test_peak_memory_leaves_the_implicit_host_out():
    problem = chain([[5], [5]], [1000, 10, 20], n_stores=2, host=1, initializers=[[0], []], init_sizes=[7])
    result = measured(problem, [0, 0])
    assert result.evaluation.peak_bytes[0].tolist() == [1017, 1000]
    assert result.peak_memory_bytes.tolist() == [1017]


def priced(costs):
    return make_problem(
        op_time_ps=np.full((2, 3), 10, np.int64),
        op_energy_pj=np.zeros((2, 3), np.int64),
        inputs=[[0], [1]],
        outputs=[[1], [2]],
        initializers=[[], []],
        is_view=[False, False],
        tensor_size_bytes=[0, 0, 0],
        output_tensors=[2],
        init_size_bytes=[],
        store_memory=[0, 1, 2],
        memory_capacity_bytes=[1, 1, 1],
        routes=star_routes(3),
        idle_power_w=[0.0] * 3,
        host=0,
        cost_per_hour=costs,
    )


def test_cost_counts_used_devices_and_says_what_is_unknown():
    problem = priced([2.0, 0.5, None])
    order = np.array([[0, 1]] * 3)
    result = measure_plans(problem, order, np.array([[0, 0], [0, 1], [1, 2]]))
    assert result.cost_per_hour.tolist() == [2.0, 2.5, 0.5]
    assert result.cost_known.tolist() == [True, True, False]
    assert result.cost_per_item[0] == pytest.approx(2.0 * 20e-12 / 3600)


def test_without_any_price_all_costs_are_unknown():
    assert measured(chain([[1]], [0, 0]), [0]).cost_known.tolist() == [False]


@settings(max_examples=150, deadline=None)
@given(plans())
def test_measures_follow_from_the_reference_schedule(plan):
    problem, order, device = plan
    schedule = decode_reference(problem, order, device)
    result = measure_plans(problem, order[None], device[None])
    assert result.bottleneck_ps[0] == bottleneck_of(schedule)
    assert result.bottleneck_ps[0] <= max(1, schedule.makespan_ps)
    own = sorted({int(m) for m in problem.store_memory[: problem.n_devices]})
    assert result.peak_memory_bytes[0] == max(schedule.peak_bytes[own])
    assert result.evaluation.transferred_bytes[0] == schedule.transferred_bytes
