"""Several items in flight, worked out by hand; the compiled pipeline has to say the same."""

from __future__ import annotations

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.simulation.pipeline import run_pipeline_reference
from heteroopt.simulation.pipeline_decoder import pipeline_batch, run_pipeline
from heteroopt.simulation.pipeline_result import throughput_per_s
from heteroopt.simulation.problem import Hop
from tests.engine.factories import small_problem, star_routes

NO_HOST = {"inputs_on_host": False, "outputs_on_host": False}


def free_routes(n):
    return star_routes(n, latency_ps=0, ps_per_byte=0.0)


def chain(times, sizes, **options):
    """Operators in a row; tensor 0 is the model input, the last one the output."""
    n = len(times)
    options = {**NO_HOST, "output_tensors": [n], **options}
    return small_problem(times, [[i] for i in range(n)], [[i + 1] for i in range(n)], sizes, **options)


def run(problem, device, items, arrivals=None):
    """Both pipelines, which must agree: ``(result, operator spans by (item, operator), transfer spans)``."""
    order = list(range(problem.n_operators))
    arrivals = [0] * items if arrivals is None else arrivals
    result, log = run_pipeline_reference(problem, order, device, arrivals)
    compiled = run_pipeline(problem, order, device, items, arrivals_ps=np.array(arrivals))
    assert compiled.finish_ps.tolist() == result.finish_ps.tolist()
    assert compiled.peak_bytes.tolist() == result.peak_bytes.tolist()
    assert compiled.throughput_per_s == result.throughput_per_s
    operators = {(e.item, e.index): (e.start_ps, e.finish_ps) for e in log if e.kind == "operator"}
    transfers = {(e.item, e.index): (e.start_ps, e.finish_ps) for e in log if e.kind == "transfer"}
    return result, operators, transfers


def test_two_unequal_stages_run_at_the_pace_of_the_slower():
    result, operators, _ = run(chain([[100, 1], [1, 300]], [0, 0, 0], routes=free_routes(2)), [0, 1], 4)
    assert [operators[k, 0] for k in range(4)] == [(0, 100), (100, 200), (200, 300), (300, 400)]
    assert [operators[k, 1] for k in range(4)] == [(100, 400), (400, 700), (700, 1000), (1000, 1300)]
    assert result.step_time_ps == 1300
    assert result.throughput_per_s == pytest.approx(1e12 / 300)


def test_one_device_runs_item_after_item():
    result, operators, _ = run(chain([[100], [300]], [0, 0, 0]), [0, 0], 3)
    assert result.finish_ps.tolist() == [400, 800, 1200]
    assert operators[1, 0] == (400, 500)
    assert result.throughput_per_s == pytest.approx(1e12 / 400)


def test_a_slow_channel_sets_the_pace():
    problem = chain([[100, 1], [1, 100]], [0, 490, 0])
    result, _, transfers = run(problem, [0, 1], 4)
    assert [transfers[k, 0] for k in range(4)] == [(100, 600), (600, 1100), (1100, 1600), (1600, 2100)]
    assert result.finish_ps.tolist() == [700, 1200, 1700, 2200]
    assert result.throughput_per_s == pytest.approx(1e12 / 500)


def test_blocking_transfers_keep_both_stages_from_working():
    problem = chain([[100, 1], [1, 100]], [0, 490, 0], blocking=True)
    result, operators, transfers = run(problem, [0, 1], 2)
    # The transfer was requested before the device is given to the next item.
    assert transfers[0, 0] == (100, 600)
    assert operators[1, 0] == (600, 700)
    # Device 1 works on item 0 until 700; only then both ends are free.
    assert transfers[1, 0] == (700, 1200)
    assert result.finish_ps.tolist() == [700, 1300]


def test_a_blocking_transfer_reserves_nothing_while_it_waits():
    problem = chain([[100, 1], [1, 1000]], [0, 0, 0], blocking=True, routes=free_routes(2))
    _, operators, transfers = run(problem, [0, 1], 3)
    assert transfers[0, 0] == (100, 100)
    assert operators[0, 1] == (100, 1100)
    assert [operators[k, 0] for k in range(3)] == [(0, 100), (100, 200), (200, 300)]
    assert transfers[1, 0] == (1100, 1100)
    # The first of them took no time, so the choice is made again, and transfers go before operators.
    assert transfers[2, 0] == (1100, 1100)
    assert operators[1, 1] == (1100, 2100)


def test_a_free_device_takes_the_oldest_item_and_does_not_interrupt():
    # Operators 0 and 2 on device 0, 1 on device 1: item 0 comes back while item 1 or 2 is being worked on.
    problem = chain([[100, 1], [1, 150], [100, 1]], [0, 0, 0, 0], routes=free_routes(2))
    _, operators, _ = run(problem, [0, 1, 0], 3)
    assert operators[0, 2] == (300, 400)
    assert [operators[k, 0] for k in range(3)] == [(0, 100), (100, 200), (200, 300)]
    assert operators[1, 1] == (250, 400)
    assert operators[1, 2] == (400, 500)


def test_within_an_item_the_order_of_the_plan_is_kept():
    # Operator 1 (device 0) is not ready until operator 0 (device 1) ends; operator 2 is, but comes later in the plan.
    problem = small_problem(
        [[1, 50], [10, 1], [10, 1]], [[0], [1], [0]], [[1], [2], [3]], [0] * 4, routes=free_routes(2), **NO_HOST
    )
    _, operators, _ = run(problem, [1, 0, 0], 2)
    assert operators[0, 1] == (50, 60)
    assert operators[0, 2] == (60, 70)
    assert operators[1, 1] == (100, 110)


def test_a_channel_serves_in_the_order_of_requests_not_of_items():
    # Item 0 sends tensor 2 late (operator 1 is long); item 1 arrives later but asks for tensor 1's hop before that.
    routes = [[[], [Hop(0, 1, 0, 100, 0.0, 0.0)]], [[Hop(1, 0, 1, 0, 0.0, 0.0)], []]]
    problem = small_problem(
        [[10, 1], [1, 5], [200, 1], [1, 5]],
        [[0], [1], [1], [3]],
        [[1], [2], [3], [4]],
        [0] * 5,
        routes=routes,
        **NO_HOST,
    )
    _, _, transfers = run(problem, [0, 1, 0, 1], 2)
    assert transfers[0, 0] == (10, 110)
    # Item 0's second hop is requested at 210, item 1's first at 220: both wait for nobody until then.
    assert transfers[0, 1] == (210, 310)
    assert transfers[1, 0] == (310, 410)
    assert transfers[1, 1] == (420, 520)


def test_memory_in_flight_counts_weights_once_and_every_item():
    problem = chain([[100, 1], [1, 300]], [0, 50, 7], routes=free_routes(2), initializers=[[0], [0]], init_sizes=[1000])
    result, _, _ = run(problem, [0, 1], 3)
    # Device 0 holds tensor 1 of an item until it is sent; device 1 keeps those that wait for it.
    # At 300: item 0 in work, items 1 and 2 waiting there, and the output of item 0 since 100.
    assert result.peak_bytes.tolist() == [1050, 1000 + 3 * 50 + 7]
    assert run(problem, [0, 1], 1)[0].peak_bytes.tolist() == [1050, 1057]


def test_items_that_arrive_later_wait_for_nobody():
    result, operators, _ = run(chain([[100], [300]], [0, 0, 0]), [0, 0], 3, [0, 350, 5000])
    assert operators[1, 0] == (400, 500)
    assert result.latency_ps.tolist() == [400, 450, 400]


def test_throughput_counts_the_second_half():
    assert throughput_per_s(np.array([10]), 1) == pytest.approx(1e11)
    assert throughput_per_s(np.array([10, 40]), 1) == pytest.approx(1e12 / 30)
    assert throughput_per_s(np.array([10, 40, 60]), 1) == pytest.approx(2e12 / 50)
    assert throughput_per_s(np.array([0, 0]), 0) == 1e12


def test_the_last_of_few_items_may_finish_faster_than_any_steady_state():
    # Device 0 does the first operator of every item while it waits for the other device, and then only the last ones.
    problem = chain([[100, 1], [1, 150], [100, 1]], [0, 0, 0, 0], routes=free_routes(2))
    result, _, _ = run(problem, [0, 1, 0], 4)
    assert result.bottleneck_ps == 200
    assert result.finish_ps.tolist() == [400, 600, 700, 800]
    assert result.throughput_per_s == pytest.approx(1e12 / 200)


@pytest.mark.parametrize("items", [0, -1, 5000, True, 2.0])
def test_a_wrong_number_of_items_is_refused(items):
    problem = chain([[100]], [0, 0])
    with pytest.raises(PlanError) as error:
        pipeline_batch(problem, np.array([[0]]), np.array([[0]]), items)
    assert error.value.code == "items_out_of_range"
