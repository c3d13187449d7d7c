"""The first items in flight through a plan, task by task, as they are drawn."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.errors import PlanError
from heteroopt.search.pipelined import is_pipelined, items_of
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation import in_flight
from heteroopt.simulation.in_flight import items_in_flight
from heteroopt.simulation.latency import poisson_arrivals_ps
from tests.engine.factories import plans
from tests.engine.simulation.test_pipeline import chain, free_routes

TWO_STAGES = chain([[100, 1], [1, 300]], [0, 0, 0], routes=free_routes(2))


def test_every_operator_of_every_item_has_its_time():
    flight = items_in_flight(TWO_STAGES, [0, 1], [0, 1], 3)
    start, finish = flight.operator_times_ps(2)
    assert start.tolist() == [[0, 100], [100, 400], [200, 700]]
    assert finish.tolist() == [[100, 400], [200, 700], [300, 1000]]
    assert flight.result.finish_ps.tolist() == [400, 700, 1000]
    assert (flight.items, flight.asked, flight.arrivals_per_s) == (3, 3, None)
    assert [(entry.kind, entry.item) for entry in flight.log].count(("transfer", 2)) == len(flight.transfers)


def test_memory_of_all_items_and_the_chain_that_the_last_one_hangs_on():
    # Inputs of 5 bytes, 10 between the stages, outputs of 20. Worked out by hand: on device 0 each item holds its
    # input from its arrival to the end of its first operator, and what that makes for the moment of its transfer; on
    # device 1 what came from its first operator until its second ends, and the output while that runs.
    flight = items_in_flight(chain([[100, 1], [1, 300]], [5, 10, 20], routes=free_routes(2)), [0, 1], [0, 1], 3)
    assert flight.memory_points(0) == [(0, 25), (100, 20), (200, 15), (300, 0), (1000, 0)]
    assert flight.memory_points(1) == [(0, 0), (100, 30), (200, 40), (300, 50), (400, 40), (700, 30), (1000, 0)]
    assert flight.result.peak_bytes.tolist() == [25, 50]
    # The second stage is the slower one: every item after the first waits for it.
    assert flight.critical_operators() == [(0, 0), (0, 1), (1, 1), (2, 1)]


def test_a_chain_may_begin_with_a_later_item_that_found_all_free():
    flight = items_in_flight(TWO_STAGES, [0, 1], [0, 1], 4, 1.0)
    assert flight.critical_operators() == [(3, 0), (3, 1)]
    assert flight.log[flight.critical[0]].start_ps == flight.result.arrivals_ps[3]
    assert flight.memory_points(0)[0] == (0, 0)


@settings(max_examples=40, deadline=None)
@given(plans(max_operators=12), st.integers(1, 5))
def test_the_chain_has_no_gap_and_the_curve_has_the_peak(plan, items):
    problem, order, device = plan
    flight = items_in_flight(problem, order, device, items)
    steps = [flight.log[at] for at in flight.critical]
    assert steps[0].start_ps == flight.result.arrivals_ps[steps[0].item]
    assert steps[-1].finish_ps == flight.result.step_time_ps
    assert all(one.finish_ps == after.start_ps for one, after in pairwise(steps))
    for memory, peak in enumerate(flight.result.peak_bytes.tolist()):
        points = flight.memory_points(memory)
        assert points[0][0] == 0 and points[-1][0] == flight.result.step_time_ps
        assert max(size for _, size in points) == peak


def test_items_arrive_at_a_rate():
    flight = items_in_flight(TWO_STAGES, [0, 1], [0, 1], 4, 1e9)
    assert flight.result.arrivals_ps.tolist() == poisson_arrivals_ps(1e9)[:4].tolist()
    start, _ = flight.operator_times_ps(2)
    assert (start[:, 0] >= flight.result.arrivals_ps).all()


def test_more_than_can_be_drawn_are_cut_and_said(monkeypatch):
    tasks = 2 + len(items_in_flight(TWO_STAGES, [0, 1], [0, 1], 2).transfers)
    monkeypatch.setattr(in_flight, "MOST_TASKS", 5 * tasks)
    flight = items_in_flight(TWO_STAGES, [0, 1], [0, 1], 32)
    assert (flight.items, flight.asked) == (5, 32)
    monkeypatch.setattr(in_flight, "MOST_TASKS", 1)
    assert items_in_flight(TWO_STAGES, [0, 1], [0, 1], 32).items == 2
    with pytest.raises(PlanError) as error:
        items_in_flight(TWO_STAGES, [0, 1], [0, 1], 0)
    assert error.value.code == "items_out_of_range"


@pytest.mark.parametrize(
    ("given", "pipelined", "items"),
    [
        ({}, False, 32),
        ({"items_in_flight": 8}, True, 8),
        ({"items_in_flight": 8, "micro_batches": 4}, True, 4),
        ({"objectives": ("throughput_per_s",)}, True, 32),
        ({"objectives": ("step_time_ms", "energy_j")}, True, 32),
        ({"constraints": ({"objective": "pipeline_throughput_per_s", "min": 10},)}, True, 32),
        ({"arrival_rate_per_s": 5.0}, True, 32),
    ],
)
def test_what_makes_a_search_one_of_several_items(given, pipelined, items):
    chosen = SearchSettings(**given)
    assert (is_pipelined(chosen), items_of(chosen)) == (pipelined, items)
