"""The arithmetic of choosing a plan, on plain arrays; the page's TypeScript follows the same rules.

``tests/fixtures/selection_cases.json`` holds the cases that both must answer alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import SettingsError

Float64 = NDArray[np.float64]

METRICS = ("exec_time_ms", "energy_j", "load_balance")
"""Keys of the default objectives; where no ``keys`` are given, columns are these."""

TIE_TOLERANCE = 1e-9
"""Two scores closer than this, relative to the larger of 1 and the best score, are tied."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Smallest and largest allowed value of one metric, in API units; ``None`` = open."""

    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """The plan chosen and what the bounds did.

    ``index``: row of the chosen plan, ``None`` when no plan passes. ``passing``: rows within all bounds.
    ``removed_by``: per bound (``"exec_time_ms.max"``) how many plans that bound alone removes. ``nearest``: when
    nothing passes, the row with the least total violation, and ``violation`` by how much each bound is missed
    there, in the metric's unit (only the bounds missed).
    """

    index: int | None
    passing: tuple[int, ...]
    removed_by: dict[str, int]
    nearest: int | None = None
    violation: dict[str, float] | None = None


def checked_weights(weights: Mapping[str, float] | Sequence[float], keys: Sequence[str] = METRICS) -> Float64:
    """Return one weight per key, scaled to sum 1; refuse what cannot order plans.

    A mapping may leave keys out (weight 0). Raises ``SettingsError`` with code ``weights_invalid`` (negative, NaN,
    infinite, unknown name, wrong number) or ``weights_zero`` (nothing to weigh).
    """
    if isinstance(weights, Mapping):
        unknown = sorted(set(weights) - set(keys))
        if unknown:
            raise _refused_weights(f"unknown objective {', '.join(unknown)}", weights)
        row = [weights.get(name, 0.0) for name in keys]
    else:
        row = list(weights)
        if len(row) != len(keys):
            names = ", ".join(keys)
            raise _refused_weights(f"{len(keys)} are needed ({names}), {len(row)} were given", weights)
    for value in row:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise _refused_weights("every weight must be a finite number", weights)
        if value < 0:
            raise _refused_weights("a weight cannot be negative", weights)
    total = math.fsum(row)
    if total <= 0 or not math.isfinite(total):
        raise SettingsError(
            "weights_zero",
            "All weights are zero, so no plan is better than another.",
            hint="Give at least one objective a weight above zero.",
        )
    return np.array([value / total for value in row], dtype=np.float64)


def weighted_choice(multiples: Float64, weights: Float64, rows: Sequence[int] | None = None) -> int:
    """Return the row with the least weighted sum of multiples of the reference.

    ``multiples`` [k, m]; ``weights`` [m] from ``checked_weights``; ``rows`` limits the candidates. Ties go to the least
    weighted Chebyshev distance to the ideal (the least multiple of each objective among *all* plans), then to the
    least multiple column by column, then the lowest row.
    """
    candidates = np.arange(len(multiples)) if rows is None else np.asarray(rows, dtype=np.intp)
    if len(candidates) == 0:
        raise ValueError("no candidate to choose from")
    ideal = multiples.min(axis=0)
    candidates = _tied(candidates, (multiples[candidates] * weights).sum(axis=1))
    candidates = _tied(candidates, (weights * (multiples[candidates] - ideal)).max(axis=1))
    for column in range(multiples.shape[1]):
        candidates = _tied(candidates, multiples[candidates, column])
    return int(candidates[0])


def constrained_choice(
    values: Float64,
    multiples: Float64,
    reference: Sequence[float],
    bounds: Mapping[str, Bound],
    weights: Float64,
    keys: Sequence[str] = METRICS,
) -> Selection:
    """Return the weighted choice among the plans within all bounds, or the nearest plan when none is.

    ``values`` [k, c] in API units, one column per key that can be bounded; ``reference`` the reference plan's values;
    ``multiples`` [k, m] and ``weights`` [m] of what is weighed. A bound counts as met within a
    relative 1e-9. The violation of a bound is relative to the bound's size, or where that is 0 to the reference (or
    1 where that is 0 too); the nearest plan has the least sum of violations, ties by the weighted choice.
    """
    limits = _limits(bounds, keys)
    passing = np.ones(len(values), dtype=bool)
    total = np.zeros(len(values))
    removed: dict[str, int] = {}
    missed: dict[str, Float64] = {}
    for key, (column, sign, limit) in limits.items():
        excess = sign * (values[:, column] - limit)
        excess = np.where(excess > TIE_TOLERANCE * abs(limit), excess, 0.0)
        removed[key] = int((excess > 0).sum())
        passing &= excess <= 0
        missed[key] = excess
        total += excess / (abs(limit) or abs(reference[column]) or 1.0)
    rows = tuple(int(row) for row in np.flatnonzero(passing))
    if rows:
        return Selection(weighted_choice(multiples, weights, rows), rows, removed)
    if len(values) == 0:
        return Selection(None, (), removed)
    closest = _tied(np.arange(len(values)), total)
    nearest = weighted_choice(multiples, weights, [int(row) for row in closest])
    violation = {key: float(excess[nearest]) for key, excess in missed.items() if excess[nearest] > 0}
    return Selection(None, (), removed, nearest, violation)


def _limits(bounds: Mapping[str, Bound], keys: Sequence[str]) -> dict[str, tuple[int, float, float]]:
    """Return ``{"metric.min|max": (column, sign, limit)}``, checked."""
    limits: dict[str, tuple[int, float, float]] = {}
    unknown = sorted(set(bounds) - set(keys))
    if unknown:
        raise SettingsError(
            "bound_unknown",
            f"There is no metric called {', '.join(unknown)} to bound.",
            hint=f"Metrics are {', '.join(keys)}.",
            unknown=unknown,
        )
    for column, metric in enumerate(keys):
        bound = bounds.get(metric, Bound())
        for end, sign, limit in (("min", -1.0, bound.minimum), ("max", 1.0, bound.maximum)):
            if limit is None:
                continue
            if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not math.isfinite(limit):
                raise SettingsError(
                    "bound_invalid",
                    f"The {end}imum of {metric} must be a finite number, not {limit!r}.",
                    hint="Leave the bound empty to allow every value.",
                    metric=metric,
                    end=end,
                )
            limits[f"{metric}.{end}"] = (column, sign, float(limit))
        if bound.minimum is not None and bound.maximum is not None and bound.minimum > bound.maximum:
            raise SettingsError(
                "bound_crossed",
                f"The minimum of {metric} ({bound.minimum:g}) is above its maximum ({bound.maximum:g}).",
                hint="Swap or widen the two bounds.",
                metric=metric,
                minimum=bound.minimum,
                maximum=bound.maximum,
            )
    return limits


def _tied(candidates: NDArray[np.intp], scores: Float64) -> NDArray[np.intp]:
    best = float(scores.min())
    return candidates[scores <= best + TIE_TOLERANCE * max(1.0, abs(best))]


def _refused_weights(why: str, weights: object) -> SettingsError:
    return SettingsError(
        "weights_invalid",
        f"These weights cannot be used: {why}.",
        hint="Weights are numbers of zero or more, at least one above zero.",
        weights=str(weights),
    )
