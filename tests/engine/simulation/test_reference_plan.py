"""What every objective is normalised to, in each of the cases that the design names."""

from __future__ import annotations

import numpy as np

from heteroopt.simulation.reference_plan import reference_plan, single_device_plans
from tests.engine.factories import small_problem

CASE = {"inputs": [[], [0]], "outputs": [[0], [1]], "sizes": [10, 10], "outputs_on_host": False}


def test_everything_on_the_default_device():
    plan = reference_plan(small_problem([[5, 7], [5, 7]], **CASE, reference_device=1, idle=[1.0, 2.0]))
    assert (plan.kind, plan.device, plan.feasible, plan.n_elsewhere) == ("default", 1, True, 0)
    assert plan.devices.tolist() == [1, 1]
    assert plan.values.tolist() == [14.0, 28.0, 0.25]
    assert plan.default_problem == ""


def test_one_device_pool_has_no_variance():
    assert reference_plan(small_problem([[5], [5]], **CASE)).load_variance == 0.0


def test_fastest_feasible_device_replaces_a_default_that_does_not_fit():
    plan = reference_plan(small_problem([[5, 7, 6], [5, 7, 6]], **CASE, capacity=[19, 20, 20]))
    assert (plan.kind, plan.device, plan.time_ps) == ("fastest_single", 2, 12)
    assert (plan.default_problem, plan.default_overflow_bytes) == ("exceeds_memory", 1)


def test_default_that_does_not_support_an_operator():
    plan = reference_plan(small_problem([[5, 7], [-1, 7]], **CASE))
    assert (plan.kind, plan.device, plan.default_problem) == ("fastest_single", 1, "unsupported")


def test_least_overflow_when_nothing_fits():
    plan = reference_plan(small_problem([[5, 7], [5, 7]], **CASE, capacity=[10, 15]))
    assert (plan.kind, plan.device, plan.feasible, plan.overflow_bytes) == ("least_overflow", 1, False, 5)
    assert (plan.default_problem, plan.default_overflow_bytes) == ("exceeds_memory", 10)


def test_no_device_supports_everything():
    problem = small_problem([[5, -1, 9], [-1, 7, 3]], **CASE)
    devices, elsewhere = single_device_plans(problem)
    assert devices.tolist() == [[0, 2], [0, 1], [2, 2]]
    assert elsewhere.tolist() == [1, 1, 0]
    nothing_complete = small_problem([[5, -1], [-1, 7]], **CASE)
    plan = reference_plan(nothing_complete)
    assert (plan.kind, plan.device, plan.n_elsewhere, plan.devices.tolist()) == ("default", 0, 1, [0, 1])


def test_group_moves_together_when_a_member_is_not_supported():
    problem = small_problem(
        [[5, -1, 9], [5, 7, 3], [5, 5, 5]], [[], [], []], [[0], [1], [2]], [0] * 3, group=[0, 0, -1]
    )
    devices, elsewhere = single_device_plans(problem)
    assert devices.tolist() == [[0, 0, 0], [0, 0, 1], [2, 2, 2]]
    assert elsewhere.tolist() == [0, 2, 0]


def test_pins_and_forbidden_devices_do_not_move_the_yardstick():
    free = reference_plan(small_problem([[5, 7], [5, 7]], **CASE))
    bound = reference_plan(small_problem([[5, 7], [5, 7]], **CASE, pin=[1, -1], forbidden=[0]))
    assert bound.device == free.device == 0
    assert np.array_equal(bound.values, free.values)
