"""What predicts operators that were not measured: kinds of cost models, ours and those of plugins, by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import EntryPoint

import numpy as np
import numpy.typing as npt

from heteroopt.costs.facts import OperatorFacts
from heteroopt.costs.fitted_roofline import FittedRoofline
from heteroopt.costs.residual import TREES, Residual
from heteroopt.errors import CostError
from heteroopt.plugins import Plugins, load_group

FloatArray = npt.NDArray[np.float64]
GROUP = "heteroopt.cost_models"
DEFAULT = "residual_trees"


class CostModel(ABC):
    """Learns from the measurements of one device what programs of one operator each take there.

    Entry points of the group ``heteroopt.cost_models`` name subclasses. Whatever they predict is used only for those
    types of operators of which it is closer to held-out measurements than the fitted roofline. ``key``: the entry
    point's name. The same rows must give the same predictions, in every process.
    """

    key: str = ""

    @classmethod
    @abstractmethod
    def fit(cls, rows: Sequence[OperatorFacts], seconds: FloatArray, start_s: float) -> CostModel:
        """Learn from rows and their seconds, [n]; ``start_s`` of each is the start of the program. n may be small."""

    @abstractmethod
    def predict(self, rows: Sequence[OperatorFacts]) -> FloatArray:
        """Seconds, [n], with the start: finite and above 0, also of types that were not learned from."""


class ResidualTrees(CostModel):
    """Boosted trees (LightGBM) on what the fitted roofline misses."""

    key = DEFAULT

    def __init__(self, roofline: FittedRoofline, residual: Residual) -> None:
        self.roofline, self.residual = roofline, residual
        self._predictor = residual.predictor()

    @classmethod
    def fit(
        cls, rows: Sequence[OperatorFacts], seconds: FloatArray, start_s: float, trees: int = TREES
    ) -> ResidualTrees:
        """See ``CostModel``; ``trees``: how many."""
        roofline = FittedRoofline.fit(rows, seconds, start_s)
        return cls(roofline, Residual.fit(rows, seconds, roofline, trees))

    def predict(self, rows: Sequence[OperatorFacts]) -> FloatArray:
        """See ``CostModel``."""
        return self._predictor.seconds(rows, self.roofline)

    @property
    def text(self) -> str:
        """The trees as LightGBM writes them."""
        return self.residual.text


class AdditiveRoofline(CostModel):
    """The fitted roofline alone: fewer figures, each with a meaning."""

    key = "fitted_roofline"

    def __init__(self, roofline: FittedRoofline) -> None:
        self.roofline = roofline

    @classmethod
    def fit(cls, rows: Sequence[OperatorFacts], seconds: FloatArray, start_s: float) -> AdditiveRoofline:
        """See ``CostModel``."""
        return cls(FittedRoofline.fit(rows, seconds, start_s))

    def predict(self, rows: Sequence[OperatorFacts]) -> FloatArray:
        """See ``CostModel``."""
        return self.roofline.predict(rows)


SHIPPED: dict[str, type[CostModel]] = {kind.key: kind for kind in (ResidualTrees, AdditiveRoofline)}


def load_cost_models(found: Iterable[EntryPoint] | None = None) -> Plugins[type[CostModel]]:
    """All kinds by key, ours first, and the plugins that are unavailable with their reasons."""
    return load_group(GROUP, _accept, shipped=SHIPPED, found=found)


@cache
def cost_models() -> Plugins[type[CostModel]]:
    """The installed kinds, loaded once per process."""
    return load_cost_models()


def find_cost_model(name: str) -> type[CostModel]:
    """A kind by its key. Raises ``CostError`` ``cost_model_unknown``, of a plugin that failed with its reason."""
    known = cost_models()
    if name in known.available:
        return known.available[name]
    why = next((one.message for one in known.unavailable if one.name == name), "")
    raise CostError(
        "cost_model_unknown",
        f"There is no cost model {name!r}" + (f": {why}" if why else "."),
        hint=f"Known are {', '.join(sorted(known.available))}.",
        name=name,
        known=sorted(known.available),
        says=why,
    )


def checked_predictions(model: CostModel, rows: Sequence[OperatorFacts]) -> FloatArray:
    """What a model predicts, checked: a plugin's mistake is no plan's. Raises ``CostError`` ``cost_model_failed``."""
    try:
        seconds = np.asarray(model.predict(rows), np.float64)
    except Exception as error:  # of a plugin: in any way it likes
        raise _failed(model, f"{type(error).__name__}: {error}") from error
    if seconds.shape != (len(rows),) or not np.isfinite(seconds).all() or not (seconds > 0.0).all():
        raise _failed(model, "it did not give a finite time above 0 for each operator")
    return seconds


def learned(
    kind: type[CostModel], rows: Sequence[OperatorFacts], seconds: FloatArray, start_s: float, trees: int
) -> CostModel:
    """A model of a kind, fitted. Raises ``CostError`` ``cost_model_failed``."""
    if issubclass(kind, ResidualTrees):
        return kind.fit(rows, seconds, start_s, trees)
    try:
        return kind.fit(rows, seconds, start_s)
    except Exception as error:  # as above
        raise _failed(kind, f"{type(error).__name__}: {error}") from error


def _failed(model: CostModel | type[CostModel], says: str) -> CostError:
    return CostError(
        "cost_model_failed",
        f"The cost model {model.key} failed: {says[:300]}",
        hint="Use another one, or see the plugin's own documentation.",
        name=model.key,
        says=says[:300],
    )


def _accept(name: str, loaded: object) -> type[CostModel]:
    if not isinstance(loaded, type) or not issubclass(loaded, CostModel):
        raise TypeError(f"{name!r} is no subclass of CostModel.")
    if loaded.key != name:
        raise ValueError(f"The entry point is called {name!r}, its cost model {loaded.key!r}.")
    return loaded
