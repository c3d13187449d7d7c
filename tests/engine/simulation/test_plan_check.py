"""Illegal plans are refused with a code that says what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.simulation.decoder import decode_batch, decode_one
from heteroopt.simulation.topology import canonical_order
from tests.engine.factories import small_problem

CASE = {"inputs": [[], [0], []], "outputs": [[0], [1], [2]], "sizes": [1, 1, 1]}


@pytest.mark.parametrize(
    ("order", "device", "code"),
    [
        ([1, 0, 2], [0, 0, 0], "order_illegal"),
        ([0, 0, 2], [0, 0, 0], "order_illegal"),
        ([0, 1, 3], [0, 0, 0], "order_illegal"),
        ([0, 1, -1], [0, 0, 0], "order_illegal"),
        ([0, 1], [0, 0], "plan_shape"),
        ([0, 1, 2], [0, 0], "plan_shape"),
        ([0, 1, 2], [0, 0, 2], "device_illegal"),
        ([0, 1, 2], [0, -1, 0], "device_illegal"),
        ([0, 1, 2], [1, 0, 0], "device_illegal"),
        ([0, 1, 2], [0, 0, 1], "group_split"),
    ],
)
def test_refused(order, device, code):
    problem = small_problem([[5, -1], [5, 5], [5, 5]], **CASE, group=[-1, 0, 0])
    with pytest.raises(PlanError) as caught:
        decode_one(problem, order, device)
    assert caught.value.code == code


def test_batch_names_the_plan_and_the_operator():
    problem = small_problem([[5, -1], [5, 5], [5, 5]], **CASE)
    with pytest.raises(PlanError) as caught:
        decode_batch(problem, np.array([[0, 1, 2]] * 2), np.array([[0, 1, 1], [1, 0, 0]]))
    assert caught.value.params == {"plan": 1, "operator": 0, "device": 1}


def test_read_only_and_wide_arrays_are_accepted():
    problem = small_problem([[5, 5]] * 3, **CASE)
    orders, devices = np.array([[0, 1, 2]], np.int64), np.zeros((1, 3), np.int32)
    orders.setflags(write=False)
    devices.setflags(write=False)
    assert decode_batch(problem, orders, devices).time_ps.tolist() == [15]


def test_canonical_order_takes_the_lowest_ready_operator():
    problem = small_problem([[1]] * 4, [[3], [], [0], []], [[0], [1], [2], [3]], [1, 1, 1, 1])
    assert canonical_order(problem).tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize(
    ("extra", "code", "operator"),
    [
        ({"times": [[5, 5], [-1, -1], [5, 5]]}, "operator_unsupported", 1),
        ({"forbidden": [0], "times": [[5, -1], [5, 5], [5, 5]]}, "forbidden_leaves_none", 0),
        ({"pin": [1, -1, -1], "times": [[5, -1], [5, 5], [5, 5]]}, "pin_illegal", 0),
        ({"pin": [-1, 0, 1], "group": [-1, 0, 0]}, "pin_conflict", 1),
        ({"times": [[5, 5], [5, -1], [-1, 5]], "group": [-1, 0, 0]}, "group_unsupported", 1),
    ],
)
def test_problem_without_a_legal_device(extra, code, operator):
    case = {"times": [[5, 5]] * 3, **CASE, **extra}
    with pytest.raises(PlanError) as caught:
        small_problem(**case)
    assert caught.value.code == code
    assert caught.value.params["operator"] == operator


def test_legal_devices_follow_pins_forbidden_devices_and_groups():
    problem = small_problem(
        [[5, 5, 5], [5, -1, 5], [5, 5, 5], [5, 5, 5]],
        [[], [], [], []],
        [[0], [1], [2], [3]],
        [0] * 4,
        pin=[-1, -1, -1, 2],
        forbidden=[0],
        group=[0, 0, -1, -1],
    )
    assert problem.legal.tolist() == [
        [False, False, True],
        [False, False, True],
        [False, True, True],
        [False, False, True],
    ]
