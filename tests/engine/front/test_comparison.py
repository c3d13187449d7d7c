"""What separates two plans."""

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.front.comparison import compare_plans
from heteroopt.search.evaluation import exact
from tests.engine.factories import small_problem


def plans(order, devices, n=3):
    """A chain of n operators, 5 ps on device 0 and 9 on device 1; 10 ps + 1 ps/byte between them."""
    problem = small_problem(
        [[5, 9]] * n, [[0]] * n, [[i + 1] for i in range(n)], [2] * (n + 1), energies=[[7, 3]] * n,
        inputs_on_host=False, outputs_on_host=False, output_tensors=[],
    )  # fmt: skip
    return exact(problem, np.array(order, np.int32), np.array(devices, np.int32))


def test_moved_operators_and_deltas():
    both = plans([[0, 1, 2], [0, 1, 2]], [[0, 0, 0], [0, 0, 1]])
    change = compare_plans(both, 0, both, 1)
    assert change.moved == ((2, 0, 1),)
    assert change.n_reordered == 0
    assert change.delta_time_ms == (10 - 15) / 1e9
    assert change.delta_energy_j == pytest.approx(-4e-12)
    assert change.delta_busy_ms == (-5e-9, 9e-9)
    assert change.delta_load_balance < 0
    back = compare_plans(both, 1, both, 0)
    assert back.moved == ((2, 1, 0),)
    assert back.delta_time_ms == -change.delta_time_ms


def test_a_plan_does_not_differ_from_itself():
    one = plans([[0, 1, 2]], [[0, 1, 0]])
    change = compare_plans(one, 0, one, 0)
    assert change.moved == ()
    assert change.n_reordered == 0
    assert (change.delta_time_ms, change.delta_energy_j, change.delta_load_balance) == (0, 0, 0)


def test_reordered_operators_are_counted_within_their_device():
    both = plans([[0, 1, 2], [1, 0, 2]], [[0, 0, 1], [0, 0, 1]])
    assert compare_plans(both, 0, both, 1).n_reordered == 2
    across = plans([[0, 1, 2], [2, 0, 1]], [[0, 0, 1], [0, 0, 1]])
    assert compare_plans(across, 0, across, 1).n_reordered == 0


def test_plans_of_different_models_are_refused():
    with pytest.raises(PlanError) as refusal:
        compare_plans(plans([[0, 1, 2]], [[0, 1, 0]]), 0, plans([[0, 1]], [[0, 1]], n=2), 0)
    assert refusal.value.code == "plans_unlike"
