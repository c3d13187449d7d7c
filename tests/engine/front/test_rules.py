"""Choosing by weights and bounds, on the cases shared with the page."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from heteroopt.errors import SettingsError
from heteroopt.front.rules import METRICS, Bound, checked_weights, constrained_choice, weighted_choice

SHARED = json.loads((Path(__file__).parents[2] / "fixtures" / "selection_cases.json").read_text())


def number(value):
    return float(value) if isinstance(value, str) else value


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_shared_case(case):
    front = SHARED["fronts"][case["front"]]
    expected = case["expected"]
    keys = tuple(front.get("keys", METRICS))

    def choose():
        objectives = keys[: len(front["multiples"][0])]
        weights = checked_weights([number(value) for value in case["weights"]], objectives)
        bounds = {
            metric: Bound(number(bound.get("min")), number(bound.get("max")))
            for metric, bound in case["bounds"].items()
        }
        return constrained_choice(
            np.array(front["values"]), np.array(front["multiples"]), front["reference"], bounds, weights, keys
        )

    if "error" in expected:
        with pytest.raises(SettingsError) as refusal:
            choose()
        assert refusal.value.code == expected["error"]
        return
    selection = choose()
    assert selection.index == expected["index"]
    assert list(selection.passing) == expected["passing"]
    assert selection.removed_by == expected["removed_by"]
    assert selection.nearest == expected.get("nearest")
    if "violation" in expected:
        assert selection.violation == pytest.approx(expected["violation"])
    else:
        assert selection.violation is None


def test_fixture_multiples_are_values_over_reference():
    for name, front in SHARED["fronts"].items():
        reference, values = np.array(front["reference"]), np.array(front["values"])
        with np.errstate(invalid="ignore", divide="ignore"):
            expected = np.where(reference > 0, values / reference, 1.0)
        for column, key in enumerate(front.get("keys", METRICS)):
            if key in front.get("maximised", ()):
                expected[:, column] = reference[column] / values[:, column]
        objectives = len(front["multiples"][0])
        assert np.allclose(expected[:, :objectives], front["multiples"]), name


def test_choice_does_not_depend_on_dominated_or_other_plans_when_scores_differ():
    multiples = np.array([[0.5, 1.5, 1.0], [0.75, 1.0, 0.8], [1.5, 0.5, 0.5]])
    weights = checked_weights({"exec_time_ms": 0.5, "energy_j": 0.3, "load_balance": 0.2})
    chosen = weighted_choice(multiples, weights)
    more = np.vstack((multiples, [[40.0, 0.01, 9.0]]))
    assert chosen == weighted_choice(more, weights) == 1


@pytest.mark.parametrize("weights", [[1, 1], {"speed": 1.0}, [True, 0, 0], [1, None, 0]])
def test_malformed_weights_are_refused(weights):
    with pytest.raises(SettingsError) as refusal:
        checked_weights(weights)
    assert refusal.value.code == "weights_invalid"


def test_weights_are_scaled_to_one():
    assert checked_weights([2, 1, 1]) == pytest.approx([0.5, 0.25, 0.25])
    assert math.isclose(checked_weights({"energy_j": 7}).sum(), 1.0)
