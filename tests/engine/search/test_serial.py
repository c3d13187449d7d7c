"""Serial placements: least on chains, moved by weights, subsets and prices; legal everywhere."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.evaluation import exact
from heteroopt.search.links import index_order, make_costs
from heteroopt.search.seeds.portfolio import device_subsets
from heteroopt.search.seeds.serial import heaviest_edges, serial_placement, serial_plans
from heteroopt.simulation.plan_check import check_plans
from tests.engine.factories import problems, small_problem


def placed(problem, time_weight, energy_weight, *, allowed=None, price=None):
    costs = make_costs(problem)
    device = costs.space.fastest.copy()
    serial_placement(
        costs, index_order(costs.space), heaviest_edges(costs), time_weight, energy_weight,
        np.ones(problem.n_devices, np.bool_) if allowed is None else np.array(allowed),
        np.zeros(problem.n_devices) if price is None else np.array(price), 4, device,
    )  # fmt: skip
    return device


def chain(times, energies=None, size=5):
    n = len(times)
    return small_problem(
        times, [[i] for i in range(n)], [[i + 1] for i in range(n)], [size] * (n + 1), energies=energies,
        inputs_on_host=False, outputs_on_host=False, output_tensors=[],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_on_a_chain_no_placement_is_faster(seed):
    times = np.random.default_rng(seed).integers(1, 60, (7, 2)).tolist()
    problem = chain(times)
    order = np.arange(7, dtype=np.int32)
    everything = np.array(list(product(range(2), repeat=7)), np.int32)
    least = exact(problem, np.tile(order, (len(everything), 1)), everything).time_ps.min()
    device = placed(problem, 1.0, 0.0)
    assert exact(problem, order[None], device[None]).time_ps[0] == least


def test_weights_subsets_and_prices_move_it():
    problem = chain([[10, 100]] * 3, energies=[[100, 10]] * 3)
    assert placed(problem, 1.0, 0.0).tolist() == [0, 0, 0]
    assert placed(problem, 0.0, 1.0).tolist() == [1, 1, 1]
    assert placed(problem, 1.0, 0.0, allowed=[False, True]).tolist() == [1, 1, 1]
    assert placed(problem, 1.0, 0.0, price=[20.0, 0.0]).tolist() == [1, 1, 1]


def test_it_stays_where_a_transfer_costs_more_than_it_gains():
    problem = chain([[10, 30], [30, 10], [10, 30]], size=100)
    assert placed(problem, 1.0, 0.0).tolist() == [0, 0, 0]
    assert placed(chain([[10, 30], [30, 10], [10, 30]], size=0), 1.0, 0.0).tolist() == [0, 0, 0]
    assert placed(chain([[10, 60], [60, 10], [10, 60]], size=0), 1.0, 0.0).tolist() == [0, 1, 0]


def test_the_tree_takes_the_edge_that_carries_most():
    problem = small_problem(
        [[1, 1]] * 3, [[0], [0], [1, 2]], [[1], [2], [3]], [1, 5, 9, 1], inputs_on_host=False, outputs_on_host=False,
        output_tensors=[],
    )  # fmt: skip
    costs = make_costs(problem)
    parent = heaviest_edges(costs)
    assert parent[:2].tolist() == [-1, -1]
    assert costs.space.pred_idx[parent[2]] == 1


def test_edges_beside_the_tree_count_too():
    # 2 reads 9 bytes of 0, its parent, and 5 of 1, which is 8 ps faster on device 1 but then has to be sent for 15.
    problem = small_problem(
        [[10, 100], [30, 22], [10, 100]], [[0], [0], [1, 2]], [[1], [2], [3]], [1, 9, 5, 1], inputs_on_host=False,
        outputs_on_host=False, output_tensors=[],
    )  # fmt: skip
    assert placed(problem, 1.0, 0.0).tolist() == [0, 0, 0]


@settings(max_examples=40, deadline=None)
@given(problems(max_operators=14), st.floats(1.0, 1e6))
def test_all_plans_are_legal(problem, scale):
    costs = make_costs(problem)
    order = index_order(costs.space)
    subsets = device_subsets(problem.n_devices, problem.reference_device)
    plans = np.array(serial_plans(problem, costs, order, subsets, scale, scale))
    check_plans(problem, np.tile(order, (len(plans), 1)), plans)
    again = np.array(serial_plans(problem, costs, order, subsets, scale, scale))
    assert np.array_equal(plans, again)


def test_dearer_time_on_busy_devices_spreads_the_work():
    problem = chain([[1000, 1010 + 40 * i] for i in range(20)], size=0)
    costs = make_costs(problem)
    plans = serial_plans(problem, costs, index_order(costs.space), [np.ones(2, np.bool_)], 20_000.0, 20_000.0)
    shares = {int(plan.sum()) for plan in plans}
    assert 0 in shares
    assert any(5 <= share <= 15 for share in shares)
