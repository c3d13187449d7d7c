"""The registry of objectives: what ships, plugins that fail, values by key and what is minimised."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.simulation import objectives as registry
from heteroopt.simulation.decoder import decode_batch
from heteroopt.simulation.objective_batch import ObjectiveOptions
from heteroopt.simulation.objectives import (
    GROUP,
    SHIPPED,
    THROUGHPUT,
    find_objective,
    load_objectives,
    measure_batch,
    measure_reference,
)
from heteroopt.simulation.reference_plan import reference_plan
from tests.engine.factories import random_devices, random_order, random_problem

BROKEN = EntryPoint("broken", "heteroopt_no_such_plugin:OBJECTIVE", GROUP)


def some_plans(seed=4):
    problem = random_problem(seed, 20, 3)
    rng = np.random.default_rng(1)
    return (
        problem,
        np.array([random_order(problem, rng) for _ in range(5)]),
        np.array([random_devices(problem, rng) for _ in range(5)]),
    )


def test_what_ships_is_registered_as_entry_points_too():
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    points = [EntryPoint(name, value, GROUP) for name, value in project["project"]["entry-points"][GROUP].items()]
    assert {point.name for point in points} == set(SHIPPED)
    loaded = load_objectives(points)
    assert dict(loaded.available) == dict(SHIPPED)
    assert loaded.unavailable == ()


def test_a_plugin_that_fails_is_listed_with_its_reason():
    points = [
        BROKEN,
        EntryPoint("not_one", "heteroopt.simulation.objectives:GROUP", GROUP),
        EntryPoint("misnamed", "heteroopt.simulation.objectives:ENERGY", GROUP),
    ]
    loaded = load_objectives(points)
    assert set(loaded.available) == set(SHIPPED)
    assert [(plugin.name, plugin.code) for plugin in loaded.unavailable] == [
        ("broken", "load_failed"),
        ("misnamed", "wrong_kind"),
        ("not_one", "wrong_kind"),
    ]
    assert "heteroopt_no_such_plugin" in loaded.unavailable[0].message


def test_a_plugin_may_not_take_a_shipped_name(monkeypatch):
    other = registry.Objective("energy_j", "Other", "J", "min", "decode", registry.ENERGY.measure)
    monkeypatch.setattr(registry, "OTHER", other, raising=False)
    loaded = load_objectives([EntryPoint("energy_j", "heteroopt.simulation.objectives:OTHER", GROUP)])
    assert loaded.available["energy_j"] is registry.ENERGY
    assert loaded.unavailable[0].code == "name_taken"


def test_unknown_and_unavailable_objectives_are_told_apart(monkeypatch):
    monkeypatch.setattr(registry, "objectives", lambda: load_objectives([BROKEN]))
    with pytest.raises(PlanError) as error:
        find_objective("broken")
    assert error.value.code == "objective_unavailable"
    with pytest.raises(PlanError) as error:
        find_objective("speed")
    assert error.value.code == "objective_unknown"
    assert "energy_j" in error.value.params["known"]


def test_all_shipped_objectives_are_finite_and_in_their_units():
    problem, orders, devices = some_plans()
    values = measure_batch(problem, orders, devices, list(SHIPPED), ObjectiveOptions(items=8, arrivals_per_s=1e8))
    decoded = decode_batch(problem, orders, devices)
    assert list(values) == list(SHIPPED)
    assert all(column.shape == (5,) and np.isfinite(column).all() for column in values.values())
    assert values["exec_time_ms"].tolist() == (decoded.time_ps / 1e9).tolist()
    assert values["energy_j"].tolist() == (decoded.energy_pj / 1e12).tolist()
    assert (values["pipeline_throughput_per_s"] <= 1e12 / decoded.bottleneck_ps).all()
    assert (values["step_time_ms"] >= values["exec_time_ms"]).all()


def test_a_maximised_objective_is_minimised_as_its_reciprocal():
    values = np.array([50.0, 200.0, 0.0])
    assert THROUGHPUT.cost(values).tolist() == [0.02, 0.005, np.inf]
    assert THROUGHPUT.value(THROUGHPUT.cost(values)).tolist() == values.tolist()
    assert find_objective("energy_j").cost(values) is values


def test_p99_without_an_arrival_rate_is_refused():
    problem, orders, devices = some_plans()
    with pytest.raises(PlanError) as error:
        measure_batch(problem, orders, devices, ["latency_p99_ms"])
    assert error.value.code == "arrival_rate_missing"


def test_the_reference_is_measured_whatever_is_forbidden():
    problem, _, _ = some_plans()
    reference = reference_plan(problem)
    values = measure_reference(problem, reference, ["exec_time_ms", "peak_memory_bytes"])
    assert values["exec_time_ms"] == reference.time_ps / 1e9
