"""A search for any objectives within any constraints: optima known by hand or by trying every plan."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heteroopt.search.search
from heteroopt.errors import SettingsError
from heteroopt.front.front import Front
from heteroopt.search.constraints import Constraint
from heteroopt.search.search import Search
from heteroopt.search.seeds.bottleneck import bottleneck_plans
from heteroopt.search.settings import SearchSettings
from heteroopt.search.space import make_space
from heteroopt.simulation.conformance import branchy_problem
from heteroopt.simulation.objective_batch import ObjectiveOptions
from heteroopt.simulation.objectives import find_objective, measure_batch
from heteroopt.simulation.plan_check import check_plans
from tests.engine.factories import problems, random_problem, small_problem


def finished(problem, **options):
    search = Search(problem, SearchSettings(**{"makespan_cap": None, "front_size": 10_000, **options}))
    search.start()
    while not search.finished:
        search.step()
    return search


def front_of(problem, **options):
    return Front.from_snapshot(finished(problem, **options).snapshot(), problem)


def pair():
    """Two operators in a row: 40 and 60 ps on device 0, 60 and 40 on device 1, 5 bytes between them (15 ps).

    All on one device takes 100 ps and moves nothing; the first on 0 and the second on 1 takes 40 + 15 + 40 = 95 ps, and
    device and channel are busy for 40 ps an item at most; the other way round 60 + 15 + 60 = 135 ps, and 60 ps.
    """
    return small_problem(
        [[40, 60], [60, 40]], [[0], [1]], [[1], [2]], [7, 5, 3], output_tensors=[2], inputs_on_host=False,
        outputs_on_host=False, energies=[[10, 1], [10, 1]],
    )  # fmt: skip


def placements(front):
    return {tuple(row) for row in front.plans.devices.tolist()}


@pytest.mark.parametrize(
    ("objectives", "expected"),
    [
        (["throughput_per_s"], {(0, 1)}),
        (["transferred_bytes"], {(0, 0), (1, 1)}),
        (["throughput_per_s", "transferred_bytes"], {(0, 1), (0, 0), (1, 1)}),
        (["throughput_per_s", "energy_j"], {(0, 1), (1, 1)}),
        (["exec_time_ms", "transferred_bytes"], {(0, 1), (0, 0), (1, 1)}),
        (["step_time_ms"], {(0, 1)}),
        (["pipeline_throughput_per_s", "energy_j"], {(0, 1), (1, 1)}),
    ],
)
def test_two_operators_by_hand(objectives, expected):
    front = front_of(pair(), objectives=objectives)
    assert front.objectives == tuple(objectives)
    # Equal plans stand for each other: of those with the same costs one is kept.
    values = {tuple(row) for row in front.costs.tolist()}
    assert placements(front) <= expected
    assert len(values) == len(front) == len(expected) - (2 if (0, 0) in expected and (1, 1) in expected else 1) + 1


def test_values_by_hand():
    front = front_of(pair(), objectives=["throughput_per_s", "transferred_bytes"], items_in_flight=4, micro_batches=3)
    split = next(row for row in range(len(front)) if front.plans.devices[row].tolist() == [0, 1])
    value = {key: float(entry.values[split]) for key, entry in front.measures.items()}
    assert value["exec_time_ms"] == 95 / 1e9
    assert value["throughput_per_s"] == 1e12 / 40
    assert value["transferred_bytes"] == 5
    # The first item is done after 95 ps, each further one 40 ps later: 175 ps for three; four: items 3 and 4 in 80 ps.
    assert value["step_time_ms"] == 175 / 1e9
    assert value["pipeline_throughput_per_s"] == 1e12 / 40
    measures = front.measures
    assert measures["throughput_per_s"].reference == 1e12 / 100
    assert measures["throughput_per_s"].multiples[split] == 0.4
    # The default plan moves nothing, so bytes are relative to their range.
    assert measures["transferred_bytes"].multiples[split] == 1.0
    assert front.multiples[split].tolist() == [0.4, 1.0]


def test_of_one_placement_the_faster_and_the_smaller_order_are_both_kept():
    """a -> b on device 0, c on device 0 -> d on device 1; a and c make 100 bytes each, c's take 110 ps to device 1.

    a, b, c, d: c ends at 70 ps, d runs from 180 to 200 ps; what a made is gone when c makes its own. c first: d runs
    from 120 to 140 ps, but both lie in memory 0 at once, with a byte that b makes.
    """
    problem = small_problem(
        [[10, 90], [50, 90], [10, 90], [90, 20]], [[0], [1], [0], [3]], [[1], [2], [3], [4]], [0, 100, 1, 100, 1],
        output_tensors=[2, 4], inputs_on_host=False, outputs_on_host=False, pin=[0, 0, 0, 1],
    )  # fmt: skip
    front = front_of(problem, objectives=["exec_time_ms", "peak_memory_bytes"])
    assert front.values.tolist() == [[140e-9, 201.0], [200e-9, 101.0]]
    assert len(placements(front)) == 1
    assert {tuple(row) for row in front.costs.tolist()} == everything(problem, ["exec_time_ms", "peak_memory_bytes"])


def orders_of(problem):
    n = problem.n_operators
    before = [problem.pred_idx[a:b].tolist() for a, b in zip(problem.pred_ptr, problem.pred_ptr[1:], strict=False)]
    found = []

    def extend(order):
        if len(order) == n:
            found.append(order)
        for i in range(n):
            if i not in order and all(p in order for p in before[i]):
                extend([*order, i])

    extend([])
    return found


def everything(problem, keys, options=None):
    """The non-dominated cost vectors of all plans, by trying each."""
    n = problem.n_operators
    choices = [np.flatnonzero(row).tolist() for row in problem.legal]
    devices = np.array(list(product(*choices)), np.int32)
    orders = orders_of(problem)
    every = np.repeat(np.array(orders, np.int32), len(devices), axis=0)
    values = measure_batch(problem, every, np.tile(devices, (len(orders), 1)).reshape(-1, n), keys, options)
    costs = np.unique(np.column_stack([find_objective(key).cost(values[key]) for key in keys]), axis=0)
    best = []
    for row in costs.tolist():  # in lexicographic order: a row can only be dominated by one before it
        if not any(all(a <= b for a, b in zip(other, row, strict=True)) for other in best):
            best.append(row)
    return {tuple(row) for row in best}


def chain(n=8):
    """Eight operators in a row on three unlike devices with prices: 6,561 plans."""
    rng = np.random.default_rng(11)
    problem = small_problem(
        rng.integers(20, 90, (n, 3)).tolist(), [[i] for i in range(n)], [[i + 1] for i in range(n)],
        rng.integers(1, 30, n + 1).tolist(), output_tensors=[n], energies=rng.integers(5, 60, (n, 3)).tolist(),
        initializers=[[i] for i in range(n)], init_sizes=rng.integers(10, 90, n).tolist(),
    )  # fmt: skip
    return replace(problem, device_cost_per_hour=np.array([3.0, 1.0, 0.5]))


@pytest.mark.parametrize(
    "objectives",
    [
        ["throughput_per_s", "energy_j"],
        ["peak_memory_bytes", "energy_j"],
        ["cost_per_hour", "transferred_bytes", "exec_time_ms"],
        ["pipeline_throughput_per_s", "energy_j"],
        ["step_time_ms", "cost_per_hour"],
    ],
)
def test_three_searches_find_all_that_trying_every_plan_finds(monkeypatch, objectives):
    problem = chain()
    monkeypatch.setattr(heteroopt.search.search, "all_genomes", lambda space: None)
    best = everything(problem, objectives, ObjectiveOptions(items=4))
    found = set()
    for seed in range(3):
        search = finished(
            problem, objectives=objectives, population_size=128, generations=100, items_in_flight=4, seed=seed
        )
        assert search.snapshot().outcome == "done"
        front = {tuple(row) for row in Front.from_snapshot(search.snapshot(), problem).costs.tolist()}
        assert len(front & best) >= 0.8 * len(best)
        found |= front
    assert best <= found


@pytest.mark.parametrize("objectives", [["throughput_per_s", "energy_j"], ["exec_time_ms", "load_balance"]])
def test_of_few_plans_the_front_holds_all_that_no_other_dominates(objectives):
    problem = chain()
    search = finished(problem, objectives=objectives)
    assert (search.snapshot().outcome, search.snapshot().evaluations) == ("exhausted", 3**8)
    front = Front.from_snapshot(search.snapshot(), problem)
    assert {tuple(row) for row in front.costs.tolist()} == everything(problem, objectives)


@settings(max_examples=20, deadline=None)
@given(problems(max_operators=12), st.integers(0, 100), st.sampled_from(["throughput_per_s", "peak_memory_bytes"]))
def test_whatever_is_found_keeps_the_constraints_and_is_as_the_decoder_says(problem, seed, key):
    free = front_of(problem, objectives=[key, "exec_time_ms"], population_size=12, generations=2, seed=seed)
    middle = float(np.median(free.measures["exec_time_ms"].values))
    front = front_of(
        problem, objectives=[key], population_size=12, generations=3, seed=seed,
        constraints=[{"objective": "exec_time_ms", "max": middle}],
    )  # fmt: skip
    check_plans(problem, front.plans.orders, front.plans.devices)
    values = measure_batch(problem, front.plans.orders, front.plans.devices, [key, "exec_time_ms"])
    assert np.allclose(front.measures[key].values, values[key], rtol=1e-15)
    if front.feasible:
        assert (values["exec_time_ms"] <= middle * (1 + 1e-9)).all()
        assert not any(front.missed(row) for row in range(len(front)))
    elif (front.plans.overflow_bytes == 0).all():
        assert (np.diff(front.total_missed) >= 0).all()
        assert front.missed(0)


def test_constraints_by_hand():
    still = front_of(pair(), objectives=["throughput_per_s"], constraints=[Constraint("transferred_bytes", max=0)])
    assert placements(still) <= {(0, 0), (1, 1)}
    assert still.values[:, 0].tolist() == [1e12 / 100] * len(still)
    fast = front_of(pair(), objectives=["energy_j"], constraints=[Constraint("throughput_per_s", min=1e12 / 40)])
    assert placements(fast) == {(0, 1)}
    none = finished(pair(), objectives=["energy_j"], constraints=[Constraint("throughput_per_s", min=1e12 / 39)])
    assert none.snapshot().outcome == "no_feasible"
    nearest = Front.from_snapshot(none.snapshot(), pair())
    assert not nearest.feasible
    assert nearest.plans.devices[0].tolist() == [0, 1]
    assert nearest.missed(0) == [("throughput_per_s", "min", 1e12 / 39, 1e12 / 40)]


def test_a_constraint_is_searched_for_not_only_filtered_by():
    problem = branchy_problem()
    reference = front_of(problem, population_size=16, generations=5).measures["throughput_per_s"]
    wanted = 1.6 * reference.reference
    front = front_of(
        problem, objectives=["energy_j", "exec_time_ms"], population_size=32, generations=20,
        constraints=[{"objective": "throughput", "min": wanted}],
    )  # fmt: skip
    assert front.feasible
    assert (front.measures["throughput_per_s"].values >= wanted * (1 - 1e-9)).all()


GOALS = {
    "objectives": ["peak_memory_bytes", "pipeline_throughput_per_s"], "items_in_flight": 3, "population_size": 16,
    "generations": 8, "constraints": [{"objective": "transferred_bytes", "max": 1e9}],
}  # fmt: skip


def test_a_search_that_was_interrupted_ends_as_one_that_was_not():
    problem = random_problem(5, 20, 3, groups=True)
    whole = finished(problem, **GOALS)
    settings_of = SearchSettings(**{"makespan_cap": None, "front_size": 10_000, **GOALS})
    broken = Search(problem, settings_of)
    broken.start()
    for _ in range(3):
        broken.step()
    resumed = Search.resume(problem, settings_of, broken.checkpoint())
    while not resumed.finished:
        resumed.step()
    expected = Front.from_snapshot(whole.snapshot(), problem).to_bytes()
    assert Front.from_snapshot(resumed.snapshot(), problem).to_bytes() == expected
    assert Front.from_snapshot(finished(problem, **GOALS).snapshot(), problem).to_bytes() == expected


def test_throughput_begins_with_splits_that_keep_groups_together():
    problem = random_problem(9, 24, 3, groups=True)
    plans = bottleneck_plans(problem)
    assert plans
    order = np.array(orders_first(problem), np.int32)
    check_plans(problem, np.repeat(order[None], len(plans), axis=0), np.array(plans))
    for device in plans:
        for members in problem.members:
            assert len(set(device[list(members)].tolist())) <= 1
    keys = ["throughput_per_s"]
    single = [np.where(problem.legal[:, d], d, make_space(problem).fastest) for d in range(3)]
    values = measure_batch(problem, np.repeat(order[None], len(plans), axis=0), np.array(plans), keys)[keys[0]]
    alone = measure_batch(problem, np.repeat(order[None], 3, axis=0), np.array(single, np.int32), keys)[keys[0]]
    assert values.max() >= alone.max() * (1 - 1e-12)


def orders_first(problem):
    order = []
    while len(order) < problem.n_operators:
        for i in range(problem.n_operators):
            before = problem.pred_idx[problem.pred_ptr[i] : problem.pred_ptr[i + 1]].tolist()
            if i not in order and all(p in order for p in before):
                order.append(i)
                break
    return order


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"objectives": ["latency_p99_ms"]}, "objective_needs_arrivals"),
        ({"constraints": [{"objective": "p99", "max": 5}]}, "objective_needs_arrivals"),
        ({"objectives": ["exec_time_ms", "energy_j", "load_balance", "throughput_per_s"]}, "objectives_invalid"),
        ({"objectives": ["energy", "energy_j"]}, "objectives_invalid"),
        ({"constraints": [{"objective": "beauty", "max": 5}]}, "objective_unknown"),
        ({"constraints": [{"objective": "energy_j"}]}, "constraint_empty"),
        ({"constraints": [{"objective": "energy_j", "max": float("nan")}]}, "bound_invalid"),
        ({"constraints": [{"objective": "energy_j", "max": True}]}, "bound_invalid"),
        ({"constraints": [{"objective": "energy_j", "min": 2, "max": 1}]}, "bound_crossed"),
        ({"constraints": [{"max": 1}]}, "constraint_invalid"),
        ({"constraints": [{"objective": "energy_j", "most": 1}]}, "constraint_invalid"),
        ({"constraints": "energy_j<=1"}, "constraint_invalid"),
        ({"items_in_flight": 0}, "items_out_of_range"),
        ({"micro_batches": 5000}, "items_out_of_range"),
        ({"arrival_rate_per_s": 0.0}, "arrival_rate_out_of_range"),
    ],
)
def test_goals_that_cannot_be(values, code):
    with pytest.raises(Exception) as refusal:
        SearchSettings.from_dict(values)
    assert refusal.value.code == code
    if code == "objective_needs_arrivals":
        assert isinstance(refusal.value, SettingsError)
        assert "arrival_rate_per_s" in refusal.value.hint


def test_goals_survive_a_round_trip_under_their_keys():
    given = SearchSettings(
        objectives=("exec_time", "throughput"), constraints=[{"objective": "memory", "max": 2e9}], items_in_flight=8
    )
    assert given.objectives == ("exec_time_ms", "throughput_per_s")
    assert given.constraints == (Constraint("peak_memory_bytes", None, 2e9),)
    assert SearchSettings.from_dict(given.to_dict()) == given
