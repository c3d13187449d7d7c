"""Weights and bounds as people give them, in the form that the selection rule takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from heteroopt.api.goals import objective_key
from heteroopt.errors import SettingsError
from heteroopt.front.rules import Bound

MULTIPLE_SUFFIX = "_x"
_WORDS = {"exec_time_ms": "execution time", "energy_j": "energy", "load_balance": "load balance"}


class Described(Protocol):
    """What has to be known of a measure: its name, unit, direction and the reference plan's value."""

    @property
    def name(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def reference(self) -> float: ...


def bound_words(bound: str, measures: Mapping[str, Described]) -> str:
    """``exec_time_ms.max`` in words."""
    key, _, end = bound.rpartition(".")
    name = _WORDS.get(key) or measures[key].name[:1].lower() + measures[key].name[1:]
    return f"the {'upper' if end == 'max' else 'lower'} bound of {name}"


def unit_of(bound: str, measures: Mapping[str, Described]) -> str:
    """Unit of a bound's figures with a space before it; a variance has none."""
    unit = measures[bound.rpartition(".")[0]].unit
    return f" {unit}" if unit else ""


def weights_of(
    weights: Mapping[str, float] | Sequence[float], measures: Mapping[str, Described]
) -> dict[str, float] | list[float]:
    """Weights keyed by measure, or numbers as they are; objective names in any usual form."""
    if not isinstance(weights, Mapping):
        return list(weights)
    return {reported(name, measures): value for name, value in weights.items()}


def bounds_of(
    minimum: Mapping[str, float] | None, maximum: Mapping[str, float] | None, measures: Mapping[str, Described]
) -> dict[str, Bound]:
    """Bounds keyed by measure, in its unit; names that end in ``_x`` are multiples of the reference's value.

    A multiple of a maximised figure is of its value too: ``throughput_x`` >= 1.5 is half as much again.
    """
    low = _absolute(minimum or {}, measures)
    high = _absolute(maximum or {}, measures)
    return {key: Bound(low.get(key), high.get(key)) for key in measures if key in low or key in high}


def reported(name: str, measures: Mapping[str, Described]) -> str:
    """The key of a measure that the front reports, from any usual name. Raises ``SettingsError``."""
    key = objective_key(name)
    if key not in measures:
        raise SettingsError(
            "measure_missing",
            f"The front does not report {key}.",
            hint="Search with --items-in-flight for the pipeline's figures, with --arrival-rate for the P99 latency. "
            f"It reports {', '.join(measures)}.",
            measure=key,
            known=list(measures),
        )
    return key


def _absolute(bounds: Mapping[str, float], measures: Mapping[str, Described]) -> dict[str, float]:
    values: dict[str, float] = {}
    for name, value in bounds.items():
        relative = name.endswith(MULTIPLE_SUFFIX)
        key = reported(name.removesuffix(MULTIPLE_SUFFIX), measures)
        if key in values:
            raise SettingsError("bound_twice", f"{key} is bounded twice.", hint="Give each bound once.", metric=key)
        values[key] = value * measures[key].reference if relative else value
    return values
