"""Weights and bounds as people give them, in the form that the selection rule takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heteroopt.api.goals import objective_name
from heteroopt.errors import SettingsError
from heteroopt.front.rules import METRICS, Bound
from heteroopt.search.settings import OBJECTIVES

MULTIPLE_SUFFIX = "_x"
_WORDS = {"exec_time_ms": "execution time", "energy_j": "energy", "load_balance": "load balance"}
_UNITS = {"exec_time_ms": " ms", "energy_j": " J", "load_balance": ""}
_METRIC = dict(zip(OBJECTIVES, METRICS, strict=True))


def bound_words(bound: str) -> str:
    """``exec_time_ms.max`` in words."""
    metric, _, end = bound.rpartition(".")
    return f"the {'upper' if end == 'max' else 'lower'} bound of {_WORDS[metric]}"


def unit_of(bound: str) -> str:
    """Unit of a bound's figures with a space before it; a variance has none."""
    return _UNITS[bound.rpartition(".")[0]]


def weights_of(weights: Mapping[str, float] | Sequence[float]) -> dict[str, float] | list[float]:
    """Weights keyed by metric, or three numbers as they are; objective names in any usual form."""
    if not isinstance(weights, Mapping):
        return list(weights)
    return {_METRIC[objective_name(name)]: value for name, value in weights.items()}


def bounds_of(
    minimum: Mapping[str, float] | None, maximum: Mapping[str, float] | None, reference: Sequence[float]
) -> dict[str, Bound]:
    """Bounds keyed by metric, in ms, J and variance; names that end in ``_x`` are multiples of ``reference``."""
    low = _absolute(minimum or {}, reference)
    high = _absolute(maximum or {}, reference)
    return {metric: Bound(low.get(metric), high.get(metric)) for metric in METRICS if metric in low or metric in high}


def _absolute(bounds: Mapping[str, float], reference: Sequence[float]) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, value in bounds.items():
        relative = name.endswith(MULTIPLE_SUFFIX)
        metric = _METRIC[objective_name(name.removesuffix(MULTIPLE_SUFFIX))]
        if metric in values:
            raise SettingsError(
                "bound_twice", f"{metric} is bounded twice.", hint="Give each bound once.", metric=metric
            )
        values[metric] = value * reference[METRICS.index(metric)] if relative else value
    return values
