"""Kinds of cost models: ours and those of plugins keep the same rules; one that fails is listed with its reason."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from heteroopt.costs import cost_models
from heteroopt.costs.conformance import CostModelConformance
from heteroopt.costs.cost_models import GROUP, AdditiveRoofline, CostModel, ResidualTrees, load_cost_models
from heteroopt.costs.device_model import DeviceCostModel
from heteroopt.errors import CostError
from tests.engine.costs.measured import database


class TestResidualTrees(CostModelConformance):
    kind = ResidualTrees


class TestAdditiveRoofline(CostModelConformance):
    kind = AdditiveRoofline


class Guess(CostModel):
    """A millisecond for everything."""

    key = "guess"

    @classmethod
    def fit(cls, rows, seconds, start_s):
        return cls()

    def predict(self, rows):
        return np.full(len(rows), 1e-3)


class Broken(Guess):
    key = "broken"

    def predict(self, rows):
        return np.full(len(rows), np.nan)


class Raising(Guess):
    key = "raising"

    @classmethod
    def fit(cls, rows, seconds, start_s):
        raise MemoryError("no room")


def points(*named: str) -> list[EntryPoint]:
    return [EntryPoint(name, f"{__name__}:{target}", GROUP) for name, target in (one.split("=") for one in named)]


@pytest.fixture
def installed(monkeypatch):
    found = load_cost_models(points("guess=Guess", "broken=Broken", "raising=Raising", "gone=Nothing"))
    monkeypatch.setattr(cost_models, "cost_models", lambda: found)
    return found


def test_plugins_that_cannot_be_used_are_listed_with_the_reason():
    found = load_cost_models(
        points("guess=Guess", "other=Guess", "gone=Nothing", "points=points", "fitted_roofline=Guess")
    )
    assert set(found.available) == {"residual_trees", "fitted_roofline", "guess"}
    assert {(one.name, one.code) for one in found.unavailable} == {
        ("other", "wrong_kind"), ("gone", "load_failed"), ("points", "wrong_kind"), ("fitted_roofline", "wrong_kind"),
    }  # fmt: skip
    assert all(one.message for one in found.unavailable)


def test_ours_are_there_as_entry_points_too():
    assert {"residual_trees", "fitted_roofline"} <= set(load_cost_models().available)


def test_a_plugin_that_predicts_worse_is_refused_and_the_roofline_stays(installed):
    model = DeviceCostModel.train(database(60), cost_model="guess")
    assert model.learner is None and model.held_out.levels["*"] == "roofline"
    said = {refusal.group: refusal for refusal in model.held_out.refusals}
    assert said["*"].level == "model" and said["*"].error > said["*"].kept_error


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("broken", "cost_model_failed", "finite"),
        ("raising", "cost_model_failed", "no room"),
        ("gone", "cost_model_unknown", "Nothing"),
        ("nobody", "cost_model_unknown", ""),
    ],
)
def test_a_plugin_that_fails_says_so(installed, name, code, says):
    with pytest.raises(CostError) as caught:
        DeviceCostModel.train(database(60), cost_model=name)
    assert caught.value.code == code and says in caught.value.params["says"]
