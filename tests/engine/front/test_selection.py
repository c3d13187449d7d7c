"""Choosing from a front: presets, knee, empty and one-plan fronts."""

from dataclasses import dataclass

import numpy as np
import pytest

from heteroopt.errors import PlanError
from heteroopt.front.measures import measure
from heteroopt.front.rules import Bound
from heteroopt.front.selection import knee, knee_row, presets, select_constrained, select_weighted
from heteroopt.simulation.objectives import DEFAULT_KEYS, find_objective


@dataclass
class Plans:
    """As much of a front as choosing reads; multiples are the values."""

    values: np.ndarray

    @property
    def objectives(self):
        return DEFAULT_KEYS[: self.values.shape[1]]

    @property
    def measures(self):
        columns = zip(self.objectives, self.values.T, strict=True)
        return {key: measure(find_objective(key), column, 1.0) for key, column in columns}

    @property
    def costs(self):
        return self.values

    def __len__(self):
        return len(self.values)


THREE = Plans(np.array([[1.0, 9.0, 5.0], [5.0, 5.0, 5.0], [9.0, 1.0, 5.0]]))


def test_weighted_takes_the_middle_for_equal_weights():
    assert select_weighted(THREE, [1, 1, 1]).index == 1
    assert select_weighted(THREE, {"exec_time_ms": 1}).index == 0
    assert select_weighted(THREE, {"energy_j": 1}).index == 2


def test_constrained_names_what_was_filtered_out():
    selection = select_constrained(THREE, {"exec_time_ms": Bound(maximum=6.0)}, {"energy_j": 1.0})
    assert selection.index == 1
    assert selection.removed_by == {"exec_time_ms.max": 1}
    none = select_constrained(THREE, {"exec_time_ms": Bound(maximum=0.5)})
    assert (none.index, none.nearest, none.violation) == (None, 0, {"exec_time_ms.max": 0.5})


def test_an_empty_front_is_refused():
    with pytest.raises(PlanError) as refusal:
        select_weighted(Plans(np.empty((0, 3))), [1, 1, 1])
    assert refusal.value.code == "front_empty"


def test_presets():
    front = Plans(np.array([[1.0, 9.0, 3.0], [2.0, 2.0, 2.5], [9.0, 1.0, 2.0], [8.0, 8.0, 0.5]]))
    assert presets(front) == {"fastest": 0, "least_energy": 2, "most_balanced": 3, "knee": 1}


def test_knee_of_two_objectives_is_the_point_farthest_below_the_line():
    values = np.array([[0.0, 10.0], [1.0, 4.0], [2.0, 1.0], [5.0, 0.5], [10.0, 0.0]])
    assert knee_row(values) == 2


def test_knee_of_three_objectives():
    values = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.3, 0.3, 0.3], [0.5, 0.5, 0.6]])
    assert knee_row(values) == 3


def test_knee_ignores_units_and_constant_objectives():
    values = np.array([[0.0, 10.0], [1.0, 4.0], [2.0, 1.0], [5.0, 0.5], [10.0, 0.0]])
    scaled = np.column_stack((values * [1e-6, 1e9], np.full(5, 7.0)))
    assert knee_row(scaled) == 2


def test_knee_when_one_plan_is_best_in_two_objectives():
    values = np.array([[0.0, 0.0, 9.0], [4.0, 3.0, 1.0], [9.0, 9.0, 0.0]])
    assert knee_row(values) == 1


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1.0, 2.0, 3.0]]),
        np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]]),
        np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [3.0, 2.0, 3.0]]),
        np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]),
        np.array([[0.0, 1.0], [0.9, 0.9], [1.0, 0.0]]),
    ],
    ids=["one", "two", "one objective varies", "on the line", "bulges away"],
)
def test_no_knee(values):
    assert knee_row(values) is None
    assert knee(Plans(values)) is None
