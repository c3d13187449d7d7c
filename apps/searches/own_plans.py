"""A plan that no search found: decoded and measured like those of the front that it stands beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.searches.front_cache import newest_front
from apps.searches.fronts import numbers_of
from apps.searches.models import Search
from apps.searches.planning import Planning
from apps.searches.services import engine_settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from heteroopt.front.front import Front
    from heteroopt.simulation.reference_plan import ReferencePlan


@dataclass(frozen=True, eq=False, slots=True)
class Beside:
    """What a plan stands beside: the search's newest front, its revision, and the numbers of its plans."""

    front: Front | None = None
    revision: int | None = None
    numbers: tuple[int, ...] = ()


def stored_of(search: Search) -> Beside:
    """The search's newest front; nothing before the first one."""
    newest = newest_front(search)
    if newest is None:
        return Beside()
    row, front = newest
    return Beside(front, row.revision, numbers_of(row))


def own_front(
    search: Search,
    planning: Planning,
    order: NDArray[np.int32],
    device: NDArray[np.int32],
    reference: ReferencePlan | None,
) -> Front:
    """A front of this plan alone, with every measure that the search's front has. ``order``, ``device``: int32[n].

    ``reference`` is that of the front which it stands beside; without one it is worked out.
    """
    from heteroopt.front.joining import front_of_one
    from heteroopt.simulation.reference_plan import reference_plan

    problem = planning.problem
    return front_of_one(problem, order, device, reference or reference_plan(problem), engine_settings(search))


def position_json(beside: Beside, alone: Front) -> dict[str, Any] | None:
    """Where the plan stands against a front; ``None`` without one."""
    from heteroopt.front.position import position_of

    if beside.front is None:
        return None
    found = position_of(beside.front, alone.costs[0].tolist(), fits=alone.feasible, numbers=beside.numbers)
    return {
        "relation": found.relation,
        "dominated_by": list(found.dominated_by),
        "dominates": list(found.dominates),
        "equal_to": list(found.equal_to),
    }
