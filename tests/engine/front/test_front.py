"""The front for people: order, multiples, hashes, round trips."""

import json
from dataclasses import replace

import numpy as np
import pytest

from heteroopt.front.front import Front
from heteroopt.front.plan_hash import execution_orders, plan_hash
from heteroopt.search.search import Search
from heteroopt.search.settings import SearchSettings
from heteroopt.search.shown import Shown
from heteroopt.simulation.decoder import decode_one
from tests.engine.factories import random_problem, small_problem


def front_of(problem, **settings):
    search = Search(problem, SearchSettings(**{"population_size": 16, "generations": 4, **settings}))
    search.start()
    while not search.finished:
        search.step()
    return Front.from_snapshot(search.snapshot(), problem)


@pytest.fixture(scope="module")
def problem():
    return random_problem(3, 30, 3)


@pytest.fixture(scope="module")
def front(problem):
    return front_of(problem)


def test_values_are_in_api_units_and_sorted_by_time(front):
    assert np.array_equal(front.exec_time_ms, front.plans.time_ps / 1e9)
    assert np.array_equal(front.energy_j, front.plans.energy_pj / 1e12)
    assert np.array_equal(front.values[:, 2], front.plans.load_variance)
    assert (np.diff(front.exec_time_ms) >= 0).all()
    assert front.lower_bound_ms <= front.exec_time_ms[0]
    assert front.feasible
    assert len(front) == len(front.hashes) == len(set(front.hashes))


def test_multiples_are_relative_to_the_reference(front):
    time, energy, balance = front.reference_values
    assert time == front.reference.time_ps / 1e9
    assert np.allclose(front.multiples, front.values / [time, energy, balance])
    assert not front.constant.any()


def test_ties_are_sorted_by_energy_balance_and_hash(problem, front):
    rows = np.array([2, 0, 1, 2])
    shuffled = front.plans.take(rows)

    class Snapshot:
        plans = shuffled
        shown = Shown(shuffled, None)
        feasible = True
        reference = front.reference
        lower_bound_ps = front.lower_bound_ps
        memory_capacity_bytes = front.memory_capacity_bytes
        settings = SearchSettings()
        outcome = "done"

    again = Front.from_snapshot(Snapshot, problem)
    assert again.hashes == (front.hashes[0], front.hashes[1], front.hashes[2], front.hashes[2])


def test_round_trips_are_exact(front):
    data = json.loads(json.dumps(front.to_dict()))
    for again in (Front.from_dict(data), Front.from_bytes(front.to_bytes())):
        assert again.to_bytes() == front.to_bytes()
        assert again.hashes == front.hashes
        assert np.array_equal(again.multiples, front.multiples)
        for name, values in front.plans.arrays().items():
            assert again.plans.arrays()[name].dtype == values.dtype, name
            assert np.array_equal(again.plans.arrays()[name], values), name


def test_one_device_has_a_constant_balance_and_multiples_of_one():
    front = front_of(random_problem(3, 30, 1))
    assert len(front) == 1
    assert front.constant.tolist() == [False, False, True]
    assert front.multiples[0, 2] == 1.0
    assert front.reference_values[2] == 0.0


def test_a_reference_of_zero_is_replaced_by_the_range():
    front = front_of(random_problem(3, 30, 3))
    zero = Front(
        front.plans, front.hashes, True, replace(front.reference, load_variance=0.0), front.lower_bound_ps,
        front.memory_capacity_bytes,
    )  # fmt: skip
    assert not zero.constant.any()
    assert np.isclose(np.ptp(zero.multiples[:, 2]), 1.0)


def test_a_front_that_does_not_fit_says_by_how_much():
    n = 12
    problem = small_problem(
        [[5, 9]] * n, [[i] for i in range(n)], [[i + 1] for i in range(n)], [0] * (n + 1),
        initializers=[[i] for i in range(n)], init_sizes=[10] * n, capacity=[50, 50], output_tensors=[n],
    )  # fmt: skip
    front = front_of(problem)
    assert not front.feasible
    exceeded = front.exceeded(0)
    assert sum(peak - limit for _, peak, limit in exceeded) == front.plans.overflow_bytes[0] == 20
    assert all(limit == 50 for _, _, limit in exceeded)


def test_operators_are_counted_by_device(problem, front):
    for row in range(len(front)):
        counts = front.operators_per_device(row)
        assert len(counts) == problem.n_devices
        assert sum(counts) == problem.n_operators


def test_two_orders_of_one_schedule_have_one_hash():
    problem = small_problem([[5, 5], [5, 5]], [[0], [0]], [[1], [2]], [1, 1, 1], output_tensors=[1, 2])
    apart = np.array([[0, 1], [0, 1]], np.int32)
    orders = np.array([[0, 1], [1, 0]], np.int32)
    same = execution_orders(problem, orders, apart)
    assert len({plan_hash(device, order) for device, order in zip(apart, same, strict=True)}) == 1
    together = np.zeros((2, 2), np.int32)
    other = execution_orders(problem, orders, together)
    assert other.tolist() == [[0, 1], [1, 0]]
    assert len({plan_hash(device, order) for device, order in zip(together, other, strict=True)}) == 2


def test_execution_orders_follow_the_decoded_start_times(problem, front):
    rows = execution_orders(problem, front.plans.orders, front.plans.devices)
    for row in range(len(front)):
        start = decode_one(problem, front.plans.orders[row], front.plans.devices[row]).start_ps
        assert (np.diff(start[rows[row]]) >= 0).all()


def test_the_hash_of_a_plan_is_fixed():
    """A change here breaks every stored approval."""
    device, order = np.array([0, 1, 1], np.int32), np.array([0, 2, 1], np.int32)
    assert plan_hash(device, order) == "13e3bdef8aea354ba6d6d85c9d226b0afcc53d9f8b0ebb260364ad8282c4d944"
