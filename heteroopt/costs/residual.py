"""Boosted trees on what the fitted roofline misses: the logarithm of measured over predicted time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.features import FEATURES, feature_matrix
from heteroopt.costs.fitted_roofline import FittedRoofline
from heteroopt.costs.work_terms import work_terms

FloatArray = npt.NDArray[np.float64]

PARAMETERS: dict[str, Any] = {
    "objective": "l1", "learning_rate": 0.09, "num_leaves": 15, "min_data_in_leaf": 5, "bagging_fraction": 0.9,
    "bagging_freq": 1, "feature_fraction": 0.8, "lambda_l2": 1.0, "num_threads": 1, "deterministic": True,
    "force_row_wise": True, "seed": 0, "verbosity": -1,
}  # fmt: skip
"""One thread and fixed seeds: the same measurements give the same bytes."""

TREES = 200
LARGEST_LOG = 2.0
"""Trees do not move a roofline by more than this factor (e^2)."""


@dataclass(frozen=True)
class Residual:
    """``text``: the trees as LightGBM writes them. ``groups``: the codes of the first feature."""

    text: str
    groups: tuple[str, ...]

    @classmethod
    def fit(
        cls, rows: Sequence[OperatorFacts], seconds: FloatArray, roofline: FittedRoofline, trees: int = TREES
    ) -> Residual:
        """Fit to rows and their seconds, [n]."""
        groups = tuple(sorted({facts.group for facts in rows}))
        terms = work_terms(rows)
        base = roofline.predict(rows, terms)
        data = lgb.Dataset(
            feature_matrix(rows, groups, terms, base),
            np.log(seconds / base),
            feature_name=list(FEATURES),
            categorical_feature=[0],
            params={"verbosity": -1, "min_data_in_bin": 3},
        )
        return cls(lgb.train(PARAMETERS, data, trees).model_to_string(), groups)

    def predictor(self) -> Predictor:
        """The trees, ready to predict."""
        return Predictor(lgb.Booster(model_str=self.text), self.groups)


class Predictor:
    """Parsed trees."""

    def __init__(self, booster: Any, groups: tuple[str, ...]) -> None:
        self._booster = booster
        self._groups = groups

    def seconds(self, rows: Sequence[OperatorFacts], roofline: FittedRoofline) -> FloatArray:
        """The roofline's seconds, corrected, [n]."""
        if not rows:
            return np.zeros(0)
        terms = work_terms(rows)
        base = roofline.predict(rows, terms)
        logs = self._booster.predict(feature_matrix(rows, self._groups, terms, base), num_threads=1)
        corrected: FloatArray = base * np.exp(np.clip(np.asarray(logs, np.float64), -LARGEST_LOG, LARGEST_LOG))
        return corrected
