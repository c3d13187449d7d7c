"""A plan from outside that joins a front: measured as the front's plans are, refused where it adds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heteroopt.errors import PlanError
from heteroopt.front.front import Front
from heteroopt.front.measures import Measure, further_measures
from heteroopt.front.plan_hash import plan_hashes
from heteroopt.front.position import DOMINATED, EQUAL, position_of
from heteroopt.search.evaluation import exact
from heteroopt.search.plan_set import joined
from heteroopt.search.settings import SearchSettings
from heteroopt.simulation.problem import Problem
from heteroopt.simulation.reference_plan import ReferencePlan

Genes = NDArray[np.integer[Any]]


def front_of_one(
    problem: Problem, order: Genes, device: Genes, reference: ReferencePlan, settings: SearchSettings
) -> Front:
    """Return a front of one plan (``order``, ``device`` int [n]), measured as those of a finished search.

    Raises ``PlanError`` if the plan is not legal.
    """
    plans = exact(problem, np.asarray(order, np.int32)[None], np.asarray(device, np.int32)[None])
    return Front(
        plans=plans,
        hashes=plan_hashes(problem, plans.orders, plans.devices),
        feasible=bool(plans.overflow_bytes[0] == 0),
        reference=reference,
        lower_bound_ps=0,
        memory_capacity_bytes=problem.memory_capacity_bytes,
        objectives=settings.objectives,
        further=further_measures(problem, plans, reference, settings),
        constraints=settings.constraints,
    )


def objection(front: Front, one: Front, numbers: Sequence[int] = ()) -> PlanError | None:
    """Return why the plan of ``one`` (see ``front_of_one``) cannot join ``front``; ``None`` where it adds something.

    ``numbers``: of the front's plans, in its order; by default they count from 1. The parameters of the error name the
    ``number`` of the plan of the front that it is, equals or is dominated by; ``overflow_bytes``; or ``objective``,
    ``end`` and ``bound`` of the constraint that it misses.
    """
    numbered = tuple(numbers) or tuple(range(1, len(front) + 1))
    if not front.feasible:
        return _refused(detail="front_misses", says="none of the front's plans meets the limits")
    overflow = int(one.plans.overflow_bytes[0])
    if overflow:
        return _refused(detail="does_not_fit", says=f"it overflows memory by {overflow} bytes", overflow_bytes=overflow)
    if one.hashes[0] in front.hashes:
        number = numbered[front.hashes.index(one.hashes[0])]
        return _refused(detail="in_front", says=f"it is plan {number} of the front", number=number)
    for objective, end, bound, _ in one.missed(0):
        return _refused(
            detail="constraint_missed", says=f"it breaks the {end}imum of {objective}", objective=objective, end=end,
            bound=bound,
        )  # fmt: skip
    asked = {*one.objectives, *(constraint.objective for constraint in one.constraints)}
    for key, entry in one.measures.items():
        if key in asked and entry.violation is not None and entry.violation[0] > 0:
            return _refused(detail="overloaded", says="it is slower than the arrival rate")
    found = position_of(front, one.costs[0].tolist(), fits=True, numbers=numbered)
    if found.relation == EQUAL:
        number = found.equal_to[0]
        return _refused(detail="equals_plan", says=f"plan {number} has the same values", number=number)
    if found.relation == DOMINATED:
        number = found.dominated_by[0]
        says = f"plan {number} is at least as good in every objective"
        return _refused(detail="dominated_by_plan", says=says, number=number)
    return None


def with_plan(front: Front, one: Front, numbers: Sequence[int] = ()) -> Front:
    """Return the front with the plan of ``one`` behind its own, whose numbers and hashes stay.

    Plans that it dominates stay too: somebody may have chosen them. Figures that the plan does not have (of a plugin
    that is gone) are left out for all. Raises ``PlanError`` ``plan_cannot_join`` where ``objection`` gives a reason.
    """
    against = objection(front, one, numbers)
    if against is not None:
        raise against
    figures = {entry.key: entry for entry in one.further}
    return replace(
        front,
        plans=joined(front.plans, one.plans),
        hashes=(*front.hashes, *one.hashes),
        further=tuple(_appended(entry, figures[entry.key]) for entry in front.further if entry.key in figures),
    )


def _refused(*, detail: str, says: str, **params: object) -> PlanError:
    return PlanError(
        "plan_cannot_join",
        f"The plan cannot join the front: {says}.",
        hint="Only a plan that fits and is better in some objective than each plan of the front can join it.",
        reason=says,
        detail=detail,
        **params,
    )


def _appended(entry: Measure, more: Measure) -> Measure:
    violation = entry.violation
    if violation is not None and more.violation is not None:
        violation = np.concatenate((violation, more.violation))
    return replace(entry, values=np.concatenate((entry.values, more.values)), violation=violation)
