"""Where a plan from outside stands against a front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heteroopt.front.front import Front

DOES_NOT_FIT, EQUAL, DOMINATED, DOMINATES, NON_DOMINATED = (
    "does_not_fit",
    "equal",
    "dominated",
    "dominates",
    "non_dominated",
)
RELATIONS = (DOES_NOT_FIT, EQUAL, DOMINATED, DOMINATES, NON_DOMINATED)


@dataclass(frozen=True, slots=True)
class Position:
    """``relation`` is ``does_not_fit`` (the plan overflows a memory: no comparison), ``equal`` (a plan of the front has
    the same values), ``dominated`` (some plan is at least as good in everything and better in something),
    ``dominates`` (the same the other way round) or ``non_dominated``. Plan numbers count from 1.
    """

    relation: str
    dominated_by: tuple[int, ...] = ()
    dominates: tuple[int, ...] = ()
    equal_to: tuple[int, ...] = ()


def position_of(front: Front, costs: Sequence[float], *, fits: bool, numbers: Sequence[int] = ()) -> Position:
    """Compare the costs of the front's objectives (``Front.costs``) with those of its plans that fit.

    ``numbers``: of the front's plans, in its order; by default they count from 1.
    """
    if not fits:
        return Position(DOES_NOT_FIT)
    ours = np.asarray(costs, np.float64)
    theirs = front.costs
    fitting = front.plans.overflow_bytes == 0
    no_worse = np.all(theirs <= ours, axis=1) & fitting
    no_better = np.all(theirs >= ours, axis=1) & fitting
    equal = _numbers(no_worse & no_better, numbers)
    dominated_by, dominates = (
        _numbers(no_worse & ~no_better, numbers),
        _numbers(no_better & ~no_worse, numbers),
    )
    relation = NON_DOMINATED
    if equal:
        relation = EQUAL
    elif dominated_by:
        relation = DOMINATED
    elif dominates:
        relation = DOMINATES
    return Position(relation, dominated_by, dominates, equal)


def _numbers(rows: NDArray[np.bool_], numbers: Sequence[int]) -> tuple[int, ...]:
    return tuple(numbers[row] if numbers else row + 1 for row in np.flatnonzero(rows).tolist())
