"""The first items in flight through a plan, task by task, as they are drawn."""

import pytest

from heteroopt.errors import PlanError
from heteroopt.search.pipelined import is_pipelined, items_of
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation import in_flight
from heteroopt.simulation.in_flight import items_in_flight
from heteroopt.simulation.latency import poisson_arrivals_ps
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
    settings = SearchSettings(**given)
    assert (is_pipelined(settings), items_of(settings)) == (pipelined, items)
