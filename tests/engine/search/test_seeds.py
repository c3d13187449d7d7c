"""Every seed is legal, and each kind is what it says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heteroopt.search.initial import initial_genomes
from heteroopt.search.links import make_costs
from heteroopt.search.seeds.basic import greedy_plans, random_plans, round_robin_plans
from heteroopt.search.seeds.list_schedule import insertion_schedule
from heteroopt.search.seeds.portfolio import device_subsets, heuristic_genomes
from heteroopt.search.seeds.ranks import optimistic_cost, upward_rank
from heteroopt.search.seeds.single_device import single_device_plans
from heteroopt.search.seeds.weighted_schedule import weighted_schedule
from heteroopt.simulation.plan_check import check_plans
from tests.engine.factories import problems, random_problem, small_problem


@settings(max_examples=40, deadline=None)
@given(problems(max_operators=16), st.integers(0, 2**32 - 1))
def test_every_seed_is_legal(problem, seed):
    orders, devices, competing = initial_genomes(problem, make_costs(problem), 24, np.random.default_rng(seed))
    check_plans(problem, orders, devices)
    assert len(orders) - competing == 12


def test_costs_of_a_problem_by_hand():
    """Two readers of one tensor, one of a model input; device 0 is the host."""
    problem = small_problem(
        [[4, 6], [5, 7], [1, -1]], [[0], [1], [1, 0]], [[1], [2], [3]], [100, 30, 7, 7],
        output_tensors=[2, 3], views=[], energies=[[1, 2]] * 3,
    )  # fmt: skip
    costs = make_costs(problem)
    assert costs.time.tolist() == [[4, 6], [5, 7], [1, np.inf]]
    assert costs.pred_bytes.tolist() == [30, 30]
    assert costs.succ_bytes.tolist() == [30, 30]
    assert costs.input_bytes.tolist() == [100, 0, 100]
    assert costs.latency.tolist() == [[0, 10], [10, 0]]
    assert (costs.mean_latency, costs.mean_per_byte, costs.host) == (10.0, 1.0, 0)


def fork():
    """0 -> (1, 2) -> 3, device 1 twice as fast for operator 2; 10 ps + 1 ps/byte between devices."""
    return small_problem(
        [[10, 10], [40, 40], [60, 30], [10, 10]], [[0], [1], [1], [2, 3]], [[1], [2], [3], [4]], [0, 5, 5, 5, 5],
        output_tensors=[], inputs_on_host=False, outputs_on_host=False,
    )  # fmt: skip


def test_heft_by_hand():
    costs = make_costs(fork())
    order = np.arange(4, dtype=np.int32)
    rank = upward_rank(costs, order)
    assert rank.tolist() == [10 + 15 + 45 + 15 + 10, 40 + 15 + 10, 45 + 15 + 10, 10]
    device, start = np.zeros(4, np.int32), np.empty(4)
    insertion_schedule(costs, np.array([0, 2, 1, 3], np.int32), np.zeros((4, 2)), 0.0, np.ones(2, bool), device, start)
    assert device.tolist() == [0, 0, 1, 1]
    assert start.tolist() == [0, 10, 25, 50 + 10 + 5]


def test_optimistic_cost_by_hand():
    table = optimistic_cost(make_costs(fork()), np.arange(4, dtype=np.int32))
    assert table[3].tolist() == [0, 0]
    assert table[1].tolist() == [10, 10]
    assert table[2].tolist() == [10, 10]
    assert table[0].tolist() == [max(40 + 10, 30 + 10 + 15), max(40 + 10, 30 + 10)]


def test_insertion_uses_gaps():
    """Operator 2 is ready at once and fits before operator 1, which waits for its input."""
    problem = small_problem(
        [[-1, 10], [20, -1], [15, -1]], [[0], [1], [0]], [[1], [2], [3]], [0, 10, 1, 1],
        output_tensors=[], inputs_on_host=False, outputs_on_host=False,
    )  # fmt: skip
    costs = make_costs(problem)
    device, start = np.zeros(3, np.int32), np.empty(3)
    insertion_schedule(costs, np.array([0, 1, 2], np.int32), np.zeros((3, 2)), 0.0, np.ones(2, bool), device, start)
    assert start.tolist() == [0, 30, 0]


def test_one_sided_weights_choose_by_that_objective():
    problem = small_problem(
        [[10, 20]] * 6, [[0]] * 6, [[i + 1] for i in range(6)], [0] * 7, energies=[[9, 1]] * 6,
        output_tensors=[], inputs_on_host=False, outputs_on_host=False,
    )  # fmt: skip
    costs = make_costs(problem)
    order = np.arange(6, dtype=np.int32)

    def placed(*weights):
        device = np.zeros(6, np.int32)
        weighted_schedule(costs, order, np.array(weights, float), 60.0, 6.0, device)
        return device.tolist()

    assert placed(0, 1, 0) == [1] * 6
    assert sum(placed(1, 0, 0)) == 2
    assert sum(placed(0, 0, 1)) == 2


@pytest.mark.parametrize("groups", [False, True])
def test_single_device_plans_fall_back_to_the_fastest_legal_device(groups):
    problem = random_problem(4, 20, 3, groups=groups)
    costs = make_costs(problem)
    plans = single_device_plans(costs.space)
    assert len(plans) == 3
    for device, plan in enumerate(plans):
        legal = problem.legal[:, device]
        assert (plan[legal] == device).all()
        assert (plan[~legal] == costs.space.fastest[~legal]).all()


def test_every_single_device_plan_and_heft_lead_the_portfolio():
    problem = random_problem(4, 20, 3)
    costs = make_costs(problem)
    orders, devices = heuristic_genomes(problem, costs)
    for row, plan in enumerate(single_device_plans(costs.space)):
        assert np.array_equal(devices[row], plan)
    genomes = {order.tobytes() + device.tobytes() for order, device in zip(orders, devices, strict=True)}
    assert len(genomes) == len(orders)


def test_the_three_kinds():
    problem = random_problem(8, 30, 3)
    costs = make_costs(problem)
    _, random_rows = random_plans(costs, 40, np.random.default_rng(1))
    use = np.array([(random_rows == device).mean() for device in range(3)])
    assert (use > 0.2).all()
    _, greedy_rows = greedy_plans(costs, 10, np.random.default_rng(1))
    assert np.array_equal(greedy_rows[0], np.where(problem.is_view, greedy_rows[0], costs.space.fastest))
    assert len({row.tobytes() for row in greedy_rows}) > 5
    orders, robin = round_robin_plans(costs, 5, np.random.default_rng(1))
    everywhere = problem.legal.all(axis=1)
    turns = [int(device) for device, free in zip(robin[0][orders[0]], everywhere[orders[0]], strict=True) if free]
    assert set(turns) == {0, 1, 2}
    check_plans(problem, orders, robin)


def test_subsets_start_with_all_devices_and_stay_few():
    assert [mask.tolist() for mask in device_subsets(1, 0)] == [[True]]
    assert [mask.tolist() for mask in device_subsets(2, 0)] == [[True, True]]
    masks = device_subsets(4, 1)
    assert masks[0].all()
    assert all(mask[1] and mask.sum() == 2 for mask in masks[1:4])
    assert len({mask.tobytes() for mask in masks}) == len(masks) == 1 + 6 + 4
    assert len(device_subsets(16, 0)) <= 24


def test_no_random_state_is_global():
    problem = random_problem(4, 20, 3)
    costs = make_costs(problem)
    np.random.seed(1)
    first = initial_genomes(problem, costs, 24, np.random.default_rng(7))
    np.random.seed(2)
    second = initial_genomes(problem, costs, 24, np.random.default_rng(7))
    assert np.array_equal(first[0], second[0])
    assert np.array_equal(first[1], second[1])
