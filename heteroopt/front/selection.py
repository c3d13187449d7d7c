"""Choosing a plan of a front: by weights, by bounds, the knee, and the presets of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.front.front import Front
from heteroopt.front.measures import Measure
from heteroopt.front.rules import Bound, Selection, checked_weights, constrained_choice

Float64 = NDArray[np.float64]

PRESETS: dict[str, dict[str, float]] = {
    "fastest": {"exec_time_ms": 1.0},
    "least_energy": {"energy_j": 1.0},
    "most_balanced": {"load_balance": 1.0},
}
"""Presets that are weights; the fourth one, ``knee``, is ``knee``."""


def select_weighted(front: Front, weights: Mapping[str, float] | Sequence[float]) -> Selection:
    """Return the plan with the least weighted sum of multiples of the reference (see ``rules.weighted_choice``).

    Raises ``SettingsError`` for weights that cannot order plans and ``PlanError`` for an empty front.
    """
    return select_constrained(front, {}, weights)


def select_constrained(
    front: Front,
    bounds: Mapping[str, Bound],
    weights: Mapping[str, float] | Sequence[float] | None = None,
) -> Selection:
    """Return the weighted choice among the plans within all ``bounds`` (in API units, by the key of any measure).

    ``weights``: by the key of any measure, or one number per objective of the search; equal ones by default. When no
    plan passes, ``index`` is ``None`` and ``nearest`` and ``violation`` say which plan comes closest and what it
    misses. Raises ``SettingsError`` for bad weights or bounds and ``PlanError`` for an empty front.
    """
    return choose(front.measures, front.objectives, bounds, weights)


def choose(
    measures: Mapping[str, Measure],
    objectives: Sequence[str],
    bounds: Mapping[str, Bound],
    weights: Mapping[str, float] | Sequence[float] | None = None,
) -> Selection:
    """The same for figures by key, of which ``objectives`` are those that plain numbers as weights mean."""
    chosen = [1.0] * len(objectives) if weights is None else weights
    if isinstance(chosen, Mapping):
        checked_weights(chosen, tuple(measures))
        further = [key for key in measures if key not in objectives and chosen.get(key)]
        keys = (*objectives, *further)
        row = checked_weights({key: chosen.get(key, 0.0) for key in keys}, keys)
    else:
        keys = tuple(objectives)
        row = checked_weights(chosen, keys)
    if len(measures[keys[0]].values) == 0:
        raise PlanError("front_empty", "There is no plan to choose from.", hint="Run the search again.")
    return constrained_choice(
        np.column_stack([entry.values for entry in measures.values()]),
        np.column_stack([measures[key].multiples for key in keys]),
        [entry.reference for entry in measures.values()],
        bounds,
        row,
        tuple(measures),
    )


def presets(front: Front) -> dict[str, int | None]:
    """Return the row of each preset: ``fastest``, ``least_energy``, ``most_balanced`` and ``knee``."""
    chosen: dict[str, int | None] = {name: select_weighted(front, row).index for name, row in PRESETS.items()}
    return {**chosen, "knee": knee(front)}


def knee(front: Front) -> int | None:
    """Return the row where giving up a little of one objective gains most in the others, or ``None``.

    ``None``: fewer than three plans, fewer than two objectives that vary, or no plan bulges below the plane.
    """
    return knee_row(front.costs)


def knee_row(values: Float64) -> int | None:
    """Return the row of ``values`` [k, m] with the largest distance below the plane through the extremes.

    Objectives are scaled to [0, 1] over the front, those that do not vary left out. The plane (with two objectives
    the line) goes through the plans that are best in each objective; where these coincide or span no plane that
    faces the ideal point, through the unit points of the axes instead. Ties go to the lower row. Source: I. Das,
    "On characterizing the 'knee' of the Pareto curve based on normal-boundary intersection", Structural
    Optimization 18, 1999.
    """
    if len(values) < 3:
        return None
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    varying = span > 0
    if varying.sum() < 2:
        return None
    unit = (values[:, varying] - low[varying]) / span[varying]
    normal, offset = _plane(unit)
    below = offset - unit @ normal
    best = int(below.argmax())
    return best if below[best] > 1e-9 else None


def _plane(unit: Float64) -> tuple[Float64, float]:
    """Return unit normal (all components positive) and offset of the plane ``normal @ x = offset``."""
    dimensions = unit.shape[1]
    extremes = np.array([unit[np.lexsort((unit.sum(axis=1), unit[:, m]))[0]] for m in range(dimensions)])
    try:
        direction = np.linalg.solve(extremes, np.ones(dimensions))
    except np.linalg.LinAlgError:
        direction = np.ones(dimensions)
    if not np.isfinite(direction).all() or (direction <= 1e-6).any():
        direction = np.ones(dimensions)
    length = float(np.linalg.norm(direction))
    return direction / length, 1.0 / length
