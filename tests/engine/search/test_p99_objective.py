"""A search for the 99th percentile of latency under arrivals: exact where it is shown or limited, never run twice."""

import numpy as np
import pytest

from heteroopt.front.front import Front
from heteroopt.search.arrival_costs import dominated
from heteroopt.search.columns import Columns, reference_row
from heteroopt.search.evaluation import exact
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation import objective_batch
from heteroopt.simulation.conformance import branchy_problem
from heteroopt.simulation.latency import latency_batch, latency_estimates
from heteroopt.simulation.objective_batch import ObjectiveOptions
from heteroopt.simulation.objectives import measure_batch
from heteroopt.simulation.reference_plan import reference_plan
from heteroopt.units import PS_PER_MS
from tests.engine.factories import random_problem
from tests.engine.search.test_objectives import finished, orders_first

LOADED = {"population_size": 24, "generations": 8, "seed": 5, "arrival_rate_per_s": 6e8}


def latencies(problem, plans, rate):
    return latency_batch(problem, plans.orders, plans.devices, rate).p99_ps / PS_PER_MS


def plan_of(plans, row):
    return plans.orders[row].tobytes() + plans.devices[row].tobytes()


def first_plan(problem):
    """The topological order, everything where it is legal first."""
    order = np.array([orders_first(problem)], np.int32)
    return order, problem.legal.argmax(axis=1).astype(np.int32)[None]


def test_p99_is_reported_of_the_finished_front_only():
    problem = branchy_problem()
    search = Search(problem, SearchSettings(population_size=8, generations=1, arrival_rate_per_s=1e6))
    running = Front.from_snapshot(search.start(), problem)
    assert "latency_p99_ms" not in running.measures
    search.step()
    front = Front.from_snapshot(search.snapshot(), problem)
    p99 = front.measures["latency_p99_ms"]
    expected = measure_batch(
        problem, front.plans.orders, front.plans.devices, ["latency_p99_ms"], ObjectiveOptions(arrivals_per_s=1e6)
    )["latency_p99_ms"]
    assert np.array_equal(p99.values, expected)
    assert (p99.values >= front.exec_time_ms).all()
    shortfall = np.maximum(0.0, 1.0 - front.measures["throughput_per_s"].values / 1e6)
    assert np.allclose(p99.violation, shortfall)


@pytest.mark.parametrize(("seed", "kind"), [(4, {}), (2, {"domain": True, "contention": True, "launches": True})])
@pytest.mark.parametrize(
    "goals",
    [
        {"objectives": ["latency_p99_ms", "energy_j"]},
        {"objectives": ["exec_time_ms", "energy_j"], "constraints": [{"objective": "p99", "max": 2.6e-6}]},
        {"objectives": ["p99", "energy"], "constraints": [{"objective": "p99", "max": 2.6e-6}]},
    ],
)
def test_p99_is_exact_on_the_front_and_where_it_is_limited_whatever_was_only_estimated(goals, seed, kind):
    problem = random_problem(seed, 14, 3, **kind)
    assert problem.contends == bool(kind)
    rate = 0.5 * 1e12 / float(exact(problem, *first_plan(problem)).bottleneck_ps[0])
    values = LOADED | goals | {"arrival_rate_per_s": rate}
    if "constraints" in goals:
        most = 1.2 * float(latencies(problem, exact(problem, *first_plan(problem)), rate)[0])
        values["constraints"] = [{"objective": "p99", "max": most}]
    search = Search(problem, SearchSettings.from_dict(values))
    while not search.finished:
        snapshot = search.step()
    front = Front.from_snapshot(snapshot, problem)
    assert front.feasible
    exact_ms = latencies(problem, front.plans, rate)
    assert front.measures["latency_p99_ms"].values.tolist() == exact_ms.tolist()
    assert (front.measures["latency_p99_ms"].violation == 0).all()
    if "constraints" in goals:
        assert (exact_ms <= values["constraints"][0]["max"] * (1 + 1e-9)).all()
    archived = search.state().archive
    if "latency_p99_ms" in front.objectives:
        orders, devices = archived.stacked()
        kept = exact(problem, orders, devices)
        column = [entry.key for entry in search._met.columns.objectives].index("latency_p99_ms")
        if "constraints" in goals or kind:
            held_ms = latencies(problem, kept, rate)
        else:
            held_ms = latency_estimates(problem, orders, devices, rate) / PS_PER_MS
        assert archived.objectives[:, column].tolist() == held_ms.tolist()
        values_shown = np.column_stack((exact_ms, front.plans.energy_pj))
        assert not dominated(values_shown, values_shown).any()
    again = Search(problem, SearchSettings.from_dict(values))
    again.start()
    for _ in range(3):
        again.step()
    resumed = Search.resume(problem, None, again.checkpoint())
    while not resumed.finished:
        resumed.step()
    assert resumed.checkpoint() == search.checkpoint()


@pytest.mark.parametrize("kind", [{}, {"domain": True, "contention": True, "launches": True}])
def test_no_plan_shown_is_run_through_all_arrivals_twice(kind, monkeypatch):
    problem = random_problem(2, 14, 3, **kind)
    rate = 0.5 * 1e12 / float(exact(problem, *first_plan(problem)).bottleneck_ps[0])
    goals = {"objectives": ("latency_p99_ms", "energy_j"), "arrival_rate_per_s": rate}
    snapshot = finished(problem, **LOADED | goals).snapshot()
    expected = latency_batch(problem, snapshot.plans.orders, snapshot.plans.devices, rate)
    ran = []
    monkeypatch.setattr(
        objective_batch, "latency_batch", lambda *plans: ran.append(len(plans[1])) or latency_batch(*plans)
    )
    shown = Front.from_snapshot(snapshot, problem)
    assert ran == [1], "only the reference plan"
    found = shown.measures["latency_p99_ms"]
    shown_as = {plan_of(shown.plans, row): row for row in range(len(shown))}
    for row, (p99_ps, shortfall) in enumerate(zip(expected.p99_ps, expected.shortfall, strict=True)):
        at = shown_as[plan_of(snapshot.plans, row)]
        assert (found.values[at], found.violation[at]) == (p99_ps / PS_PER_MS, shortfall)


def test_plans_slower_than_the_arrivals_lose_by_their_shortfall():
    problem = random_problem(4, 14, 3)
    plan = exact(problem, *first_plan(problem))
    rate = 1.1 * 1e12 / float(plan.bottleneck_ps[0])
    goals = SearchSettings.from_dict(LOADED | {"objectives": ["latency_p99_ms"], "arrival_rate_per_s": rate})
    columns = Columns(problem, goals, reference_row(problem, reference_plan(problem)))
    figures = columns.figures(plan, np.empty((0, 1)))
    assert columns.excess(figures)[0] == pytest.approx(1 - 1 / 1.1)
    assert figures[0, 0] <= latencies(problem, plan, rate)[0]
